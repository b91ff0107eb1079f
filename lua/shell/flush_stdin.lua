-- Drops input that was typed for a program but not read: the rest of a line must not answer the next question.

local ffi = require 'ffi'
local libc = require 'torch.native.libc'
local stdin = io.stdin

if ffi.os ~= 'Linux' or libc.t7_isatty(0) ~= 1 then return function() end end

-- A terminal delivers one line at a time; Python may have switched C to single bytes. C has a buffer of one byte unless
-- it is given another, which must outlive this Lua state.
local FULL, SIZE = 0, 4096
libc.t7_setvbuf(stdin, libc.t7_malloc(SIZE), FULL, SIZE)

-- Drops input that C has buffered and no program has read.
return function() libc.t7___fpurge(stdin) end

-- Drops input that was typed for a program and not read by it: the rest of a line must not answer the next question.

local ffi = require 'ffi'
local libc = require 'torch.native.libc'
local stdin = io.stdin

if ffi.os ~= 'Linux' or libc.t7_isatty(0) ~= 1 then return function() end end

-- A terminal hands over a line at a time; Python may have told C to take it byte by byte. C keeps a buffer of one
-- byte unless it is given another, which stays when this Lua state ends.
local FULL, SIZE = 0, 4096
libc.t7_setvbuf(stdin, libc.t7_malloc(SIZE), FULL, SIZE)

-- Drops input that C has buffered and no program has read.
return function() libc.t7___fpurge(stdin) end

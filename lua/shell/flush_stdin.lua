-- What was typed for a program and not read by it: the rest of a line is no answer to the next question, and no input.

local ffi = require 'ffi'
local stdin = io.stdin

if ffi.os ~= 'Linux' then return function() end end

require('torch.core.cdef').declare [[
void __fpurge(void *file);
int isatty(int file);
int setvbuf(void *file, char *buffer, int mode, size_t size);
void *malloc(size_t size);
]]

-- A terminal hands over a line at a time; Python may have told C to take it byte by byte. C keeps a buffer of one
-- byte unless it is given another, which stays when this Lua state ends.
local FULL, SIZE = 0, 4096
if ffi.C.t7_isatty(0) == 1 then ffi.C.t7_setvbuf(stdin, ffi.C.t7_malloc(SIZE), FULL, SIZE) end

-- Drops what C has read from the standard input and no program took.
return function() ffi.C.t7___fpurge(stdin) end

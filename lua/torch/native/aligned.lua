-- aligned(c, count): zeroed memory for elements of a C type, on the boundary of the widest vectors, which are loaded in
-- half the time from there: the object that keeps it alive, and a pointer to it.

local tonumber = tonumber
local ffi = require 'ffi'
local cast = ffi.cast

local ALIGNMENT = 64

return function(c, count)
   local memory = ffi.new('char[?]', count * ffi.sizeof(c) + ALIGNMENT - 1)
   local start = cast('char *', memory)
   return memory, cast(c .. ' *', start + -tonumber(cast('intptr_t', start)) % ALIGNMENT)
end

-- C functions of the system under names of our own. A program that declares malloc or clock_gettime itself, with
-- types of its own, must not find them taken: a name can be declared once in a LuaJIT state.

local ffi = require 'ffi'

local c = {}

-- Declares functions; each `name` is reached as ffi.C.t7_name.
function c.declare(declarations)
   ffi.cdef((declarations:gsub('([%w_]+)(%b())%s*;', 't7_%1%2 __asm__("%1");')))
end

-- Those that several modules use.
c.declare 'void *memmove(void *to, const void *from, size_t count);'

return c

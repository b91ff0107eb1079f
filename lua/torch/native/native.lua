-- SciPy's BLAS and LAPACK as C functions, and memory of kernels. See docs/decisions/0001-tensors-are-cdata.md.

local tonumber, type = tonumber, type
local ffi = require 'ffi'
local aligned, host = require 'torch.native.aligned', require 'torch.native.host'
local cast = ffi.cast

local native = {}

local function address_of(pointer) return (tonumber(cast('intptr_t', pointer))) end

-- Kernel memory as a pointer, kept forever: a constant in compiled code, where an array would take a register.
local buffers = {}

function native.buffer(element, count)
   local pointer = aligned(element, count)
   buffers[#buffers + 1] = pointer
   return pointer
end

local LETTERS = { Double = 'd', Float = 's' }

-- A C function of BLAS or LAPACK for a type, by its name without the first letter; nil if there is none. It is cast to
-- a C type, or to a declaration in which $ is the type of an element.
function native.routine(library, T, name, declaration)
   local address = LETTERS[T.name] and host.routine(library, LETTERS[T.name] .. name)
   if type(declaration) == 'string' then declaration = string.gsub(declaration, '%$', T.c) end
   return address and cast(declaration or 'void *', cast('intptr_t', address)) or nil
end

native.address_of = address_of

return native

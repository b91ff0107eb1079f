-- NumPy's inner loops and SciPy's BLAS as C functions. If a pointer is unavailable, or gives a wrong result when tried,
-- the same call goes through Python: slow beats wrong. See docs/decisions/0001-tensors-are-cdata.md.

local select, tonumber, type = select, tonumber, type
local ffi = require 'ffi'
local aligned, host = require 'torch.native.aligned', require 'torch.native.host'
local loop_function = require 'torch.native.loop_function'
local cast = ffi.cast

local native = {}

local loop_type = require 'torch.native.loop_type'
native.loop_t = loop_type

local function address_of(pointer) return (tonumber(cast('intptr_t', pointer))) end

-- Kernel memory as a pointer, kept forever: a constant in compiled code, where an array would take a register.
local buffers = {}

function native.buffer(element, count)
   local pointer = aligned(element, count)
   buffers[#buffers + 1] = pointer
   return pointer
end

local function through_python(ufunc, signature, inputs)
   if inputs == 1 then
      return function(x, x_step, r, r_step, count)
         host.run_ufunc(ufunc, signature, count, address_of(x), x_step, address_of(r), r_step)
      end
   end
   return function(x, x_step, y, y_step, r, r_step, count)
      host.run_ufunc(ufunc, signature, count, address_of(x), x_step, address_of(y), y_step, address_of(r), r_step)
   end
end

local function signature_of(...)
   local dtypes = { ... }
   for i = 1, #dtypes do dtypes[i] = dtypes[i].dtype or dtypes[i] end
   return table.concat(dtypes, ',')
end

-- A NumPy loop and its data as pointers; nil if there is none.
function native.raw_loop(ufunc, ...)
   local fn, data = host.inner_loop(ufunc, signature_of(...))
   if not fn then return nil end
   return cast('void *', cast('intptr_t', fn)), cast('void *', cast('intptr_t', data))
end

local function make_loop(ufunc, ...)
   local fn, data = native.raw_loop(ufunc, ...)
   local signature, inputs = signature_of(...), select('#', ...) - 1
   if not fn then return through_python(ufunc, signature, inputs) end
   return loop_function(ufunc .. ' ' .. signature, fn, data, inputs)
end

function native.in_vectors(ufunc, ...) return host.in_vectors(ufunc, signature_of(...)) end

function native.key(ufunc, ...) return ufunc .. ' ' .. signature_of(...) end

local known = {}

-- The loop of a ufunc for element types given as rows or names, inputs first, result last:
-- f(x, x_step, [y, y_step,] r, r_step, count) with pointers, steps in bytes, and a count. It runs on one core.
function native.loop_alone(ufunc, ...)
   local key = native.key(ufunc, ...)
   if not known[key] then known[key] = make_loop(ufunc, ...) end
   return known[key]
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

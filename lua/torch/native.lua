-- NumPy's inner loops and SciPy's BLAS as C functions. Where a pointer cannot be had, or gives a wrong answer
-- when tried, the same call goes through Python: slow beats wrong.

local loadstring, tonumber = loadstring, tonumber
local concat = table.concat
local ffi = require 'ffi'
local host = require 'torch.host'
local parallel = require 'torch.parallel'
local cast = ffi.cast

local native = {}

local loop_t = ffi.typeof 'void (*)(char **, const intptr_t *, const intptr_t *, void *)'

local function address_of(pointer) return tonumber(cast('intptr_t', pointer)) end

-- The arguments of a call are written into arrays that are made once.
local unary_source = [[
local fn, data, args, dims, steps, cast, char_p, shared, LEAST = ...
return function(x, x_step, r, r_step, count)
   args[0], args[1] = cast(char_p, x), cast(char_p, r)
   steps[0], steps[1], dims[0] = x_step, r_step, count
   if count >= LEAST and shared(fn, data, 1, args, dims, steps, count) then return end
   fn(args, dims, steps, data)
end]]

local binary_source = [[
local fn, data, args, dims, steps, cast, char_p, shared, LEAST = ...
return function(x, x_step, y, y_step, r, r_step, count)
   args[0], args[1], args[2] = cast(char_p, x), cast(char_p, y), cast(char_p, r)
   steps[0], steps[1], steps[2], dims[0] = x_step, y_step, r_step, count
   if count >= LEAST and shared(fn, data, 2, args, dims, steps, count) then return end
   fn(args, dims, steps, data)
end]]

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

local known = {}

-- The loop of a ufunc for element types given as rows, inputs first, result last:
-- f(x, x_step, [y, y_step,] r, r_step, count) with pointers, steps in bytes, and a count.
function native.loop(ufunc, ...)
   local rows = { ... }
   local dtypes = {}
   for i = 1, #rows do dtypes[i] = rows[i].dtype or rows[i] end
   local signature = concat(dtypes, ',')
   local key = ufunc .. ' ' .. signature
   if known[key] then return known[key] end
   local fn, data = host.inner_loop(ufunc, signature)
   local inputs = #rows - 1
   if fn then
      known[key] = loadstring(inputs == 1 and unary_source or binary_source, '=t7 ' .. key)(
         cast(loop_t, cast('intptr_t', fn)), cast('void *', cast('intptr_t', data)),
         ffi.new('char *[4]'), ffi.new('intptr_t[1]'), ffi.new('intptr_t[4]'), cast, ffi.typeof 'char *',
         parallel.loop, parallel.LEAST)
   else
      known[key] = through_python(ufunc, signature, inputs)
   end
   return known[key]
end

-- A C function of BLAS or LAPACK by name, cast to the type given as a declaration; nil when it cannot be had.
function native.routine(library, name, declaration)
   local address = host.routine(library, name)
   return address and cast(declaration, cast('intptr_t', address)) or nil
end

native.address_of = address_of

return native

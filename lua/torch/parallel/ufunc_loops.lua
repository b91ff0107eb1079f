-- NumPy's inner loops, parallel if there are many elements.

local select, tonumber = select, tonumber
local ffi = require 'ffi'
local native, parallel_for = require 'torch.native.native', require 'torch.parallel.parallel_for'
local template = require 'torch.jit.template'
local tuning = require 'torch.loops.tuning'
local cast = ffi.cast

local ufunc_loops = {}

local SIMPLE, VECTOR, SLOW = tuning.SIMPLE_WORK, tuning.VECTOR_WORK, tuning.SLOW_WORK
local slow = {}
for name in ([[arccos arccosh arcsin arcsinh arctan arctan2 arctanh cbrt cos cosh exp exp2 expit expm1 fmod gammaln log
   log10 log1p log2 power remainder sin sinh tan tanh]]):gmatch('%S+') do slow[name] = true end

-- Nanoseconds per element, for types as in `ufunc_loops.get`. See docs/decisions/0021-rows-beside-numpy.md.
function ufunc_loops.work(ufunc, ...)
   if not slow[ufunc] then return SIMPLE end
   return native.in_vectors(ufunc, ...) and VECTOR or SLOW
end

local function address(pointer) return (tonumber(cast('intptr_t', pointer))) end

-- Returns whether writing r cannot change elements of x that other chunks read: both are the same elements, or
-- disjoint. Steps are in bytes.
function ufunc_loops.independent(x, x_step, r, r_step, count)
   local a, b = address(x), address(r)
   if a == b and x_step == r_step then return true end
   return a + x_step * count <= b or b + r_step * count <= a
end

-- Chunks start at a multiple of this many elements.
local UNIT = 64
ufunc_loops.UNIT = UNIT

local source = [[
return function($parameters, r, r_step, count)
   if count < LEAST or r_step <= 0 or not ($apart) then
      return alone($parameters, r, r_step, count)
   end
   $args, p.args[$inputs] = $casts, cast(char_p, r)
   $steps, p.steps[$inputs] = $given, r_step
   share(count, UNIT, WORK * count, p)
end]]

local share_loop = parallel_for.kind('torch.parallel.memory_chunks', 'loop')

-- A parallel loop of n inputs, from its pointers, its function for one core, and nanoseconds per element.
function ufunc_loops.shared(name, fn, data, inputs, alone, work)
   local function each(text, separator)
      local list = {}
      for k = 0, inputs - 1 do list[k + 1] = (text:gsub('#', k)) end
      return table.concat(list, separator or ', ')
   end
   local p = ffi.new 't7_loop'
   p.fn, p.data = fn, data
   return template.compile(name, source, { parameters = each 'x#, step#', inputs = inputs, args = each 'p.args[#]',
      steps = each 'p.steps[#]', casts = each 'cast(char_p, x#)', given = each 'step#',
      apart = each('independent(x#, step#, r, r_step, count)', ' and ') }, { alone = alone, p = p,
      share = share_loop, independent = ufunc_loops.independent, cast = cast, char_p = ffi.typeof 'char *', WORK = work,
      LEAST = parallel_for.LEAST / work, UNIT = UNIT })
end

local known = {}

local function make(ufunc, ...)
   local alone = native.loop_alone(ufunc, ...)
   local fn, data = native.raw_loop(ufunc, ...)
   if not fn then return alone end
   return ufunc_loops.shared(ufunc, fn, data, select('#', ...) - 1, alone, ufunc_loops.work(ufunc, ...))
end

-- The loop of a ufunc for element types given as rows or names, inputs first, result last:
-- f(x, x_step, [y, y_step,] r, r_step, count) with pointers, steps in bytes, and a count.
function ufunc_loops.get(ufunc, ...)
   local key = native.key(ufunc, ...)
   known[key] = known[key] or make(ufunc, ...)
   return known[key]
end

return ufunc_loops

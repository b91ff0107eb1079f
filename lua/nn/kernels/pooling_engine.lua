-- Calls of pooling: plans that are kept between calls, the struct of a call, and its execution.

local ceil, setmetatable = math.ceil, setmetatable
local ffi = require 'ffi'
local native, parallel_for = require 'torch.native.native', require 'torch.parallel.parallel_for'
local pooling_plan, pooling_code = require 'nn.kernels.pooling_plan', require 'nn.kernels.pooling_code'
local cast = ffi.cast
local byte_p, null = ffi.typeof 'char *', ffi.cast('char *', 0)

local pooling_engine = { MAX = 0, AVERAGE = 1, SPREAD = 2, MAX_BACK = 3, RELATIVE_BACK = 4 }

-- Plans by module; they are neither saved nor cloned.
local plans = setmetatable({}, { __mode = 'k' })

-- The plan of a module, see plan.new.
function pooling_engine.plan(module, numbers, include, relative)
   local p = plans[module]
   if p and p.include == include then
      local known, same = p.numbers, true
      for i = 1, 18 do same = same and known[i] == numbers[i] end
      if same then return p end
   end
   p = pooling_plan.new(numbers, include, relative)
   plans[module] = p
   return p
end

local run_parts = parallel_for.kind('nn.kernels.pooling_chunks', 'run')

local structs = {}

-- Most chunks of a call.
local PARTS = 16

-- Nanoseconds per element of a window.
local COST = { [0] = 1, 0.5, 0.6, 0, 0 }

-- The struct of a type.
local function struct(k)
   local g = structs[k]
   if not g then
      g = ffi.new 't7_nn_pooling'
      g.dot, g.type = native.routine('blas', k.T, 'dot'), k.T.index
      g.back = pooling_code.back(k.T.base or k.T)
      structs[k] = g
   end
   return g
end
pooling_engine.struct = struct

-- Runs a kernel over all planes of x and y; returns whether all indices were valid.
function pooling_engine.run(k, what, p, planes, x, y, index)
   local g, q = struct(k), p.plan
   local forward = what <= pooling_engine.AVERAGE
   local result = forward and y or x
   local own = k.own(result)
   if forward then x, y = k.steady(x), own else x = own end
   g.windows, g.what, g.wrong = q, what, 0
   g.x, g.y = cast(byte_p, k.ptr(x)), cast(byte_p, k.ptr(y))
   g.index = index and cast(byte_p, index._memory._data + index._offset) or null
   run_parts(planes, ceil(planes / PARTS), planes * q.outputs * (2 + q.taps * COST[what]), g)
   k.alive(x, y, index)
   k.bring(result, own)
   return g.wrong == 0
end

return pooling_engine

-- Calls of pooling: plans that are kept between calls, the struct of a call, and its execution.

local ceil = math.ceil
local ffi, lazy_table = require 'ffi', require 'torch.jit.lazy_table'
local native, parallel_for = require 'torch.native.native', require 'torch.parallel.parallel_for'
local pooling_plan, pooling_code = require 'nn.kernels.pooling_plan', require 'nn.kernels.pooling_code'
local cast = ffi.cast
local byte_p, null = ffi.typeof 'char *', ffi.cast('char *', 0)

local pooling_engine = { MAX = 0, AVERAGE = 1, SPREAD = 2, MAX_BACK = 3, RELATIVE_BACK = 4 }

-- The plan of a module, see pooling_plan.new.
pooling_engine.plan = require 'nn.kernels.plan_cache'(pooling_plan.new)

local run_parts = parallel_for.kind('nn.kernels.pooling_chunks', 'run')

-- Most chunks of a call.
local PARTS = 16

-- Nanoseconds per element of a window.
local COST = { [0] = 1, 0.5, 0.6, 0, 0 }

-- The structs of types.
pooling_engine.structs = lazy_table(function(k)
   local g = ffi.new 't7_nn_pooling'
   g.dot, g.type = native.routine('blas', k.T, 'dot'), k.T.index
   g.back = pooling_code.back(k.T.base or k.T)
   return g
end)

-- Runs a kernel over all planes of x and y; returns whether all indices were valid.
function pooling_engine.run(k, what, p, planes, x, y, index)
   local g, q = pooling_engine.structs[k], p.plan
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

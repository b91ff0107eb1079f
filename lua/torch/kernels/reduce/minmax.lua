-- Maxima and minima with their indices.

local buffers, reduce_axis = require 'torch.memory.buffers', require 'torch.kernels.reduce.reduce_axis'
local finish_trace = require('torch.jit.trace').finish
local kernels, types = require 'torch.native.kernels' 'reduce/minmax', require 'torch.base.types'

local minmax = {}

-- options: { largest = 1 or 0 }. NaN is beyond all numbers.
function minmax.all(name, T, options)
   local index, largest = T.index, options.largest
   local function of_all(data, count) return kernels.t7_minmax_all(index, largest, data, count) end
   local function of_loops(data, p) return kernels.t7_minmax_loops(index, largest, data, p.dim, p.size, p.step[1]) end
   return function(t)
      reduce_axis.check_not_empty(name, t)
      return reduce_axis.total(t, of_all, of_loops)
   end
end

function minmax.along(name, T, options)
   local Long = types.by_name.Long
   return function(r, index, t, dim)
      finish_trace()
      local d = reduce_axis.dimension_of(name, t, dim)
      local like = reduce_axis.reduced_shape(t, d, 1)
      local work, given = reduce_axis.begin(T, r, like, t)
      local indices, given_index = reduce_axis.begin(Long, index, like, t)
      local x, outer, outer_step, n, n_step, inner, inner_step = reduce_axis.three_loops(T, t, d)
      kernels.t7_minmax_along(T.index, options.largest, work._memory._data + work._offset,
         indices._memory._data + indices._offset, x._memory._data + x._offset, outer, outer_step, n, n_step, inner,
         inner_step)
      buffers.keep_alive(work, indices, x)
      return T.result(given, work), Long.result(given_index, indices)
   end
end

return minmax

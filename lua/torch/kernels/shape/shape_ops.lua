-- shape, flatten and item.

local element, errors = require 'torch.loops.element', require 'torch.base.errors'
local geometry, reduce_axis = require 'torch.base.geometry', require 'torch.kernels.reduce.reduce_axis'

local shape_ops = {}

function shape_ops.shape(_, T)
   return function(t, dim) return T.tensor_methods.size(t, dim) end
end

-- Flattens the dimensions `first` to `last`: a view if the elements are in order.
function shape_ops.flatten(name, T)
   return function(t, first, last)
      if t._dim == 0 then return t end
      local low, high = reduce_axis.dimension_of(name, t, first), reduce_axis.dimension_of(name, t, last)
      if high < low then
         errors.raise('%s: dimension %.0f is before dimension %.0f of tensor [%s]', name, high + 1, low + 1,
            geometry.shape(t))
      end
      local list, one = {}, 1
      for d = 0, t._dim - 1 do
         if d < low or d > high then
            list[#list + 1] = t._size[d]
         else
            one = one * t._size[d]
            if d == high then list[#list + 1] = one end
         end
      end
      return T.tensor_methods.view(T.tensor_methods.contiguous(t), unpack(list))
   end
end

function shape_ops.item(name, T)
   local get = element.getter(T)
   return function(t)
      if geometry.numel(t) ~= 1 then
         errors.raise('%s: the tensor must have one element (got [%s] of %.0f)', name, geometry.shape(t),
            geometry.numel(t))
      end
      return get(t._memory._data, t._offset)
   end
end

return shape_ops

-- Lists of indices, which count from 1: their checks.

local errors, geometry = require 'torch.base.errors', require 'torch.base.geometry'
local kernels = require 'torch.native.kernels' 'index/index'
local numel, shape = geometry.numel, geometry.shape

local index_lists = {}

-- Tells whether all of `count` indices are valid for a dimension of `size`.
function index_lists.are_indices(indices, count, size)
   return kernels.t7_find_outside(indices, count, 1, size) == count
end

-- Raises unless all of the contiguous `list` are indices of dimension d of t.
function index_lists.check(name, t, d, list)
   local count = numel(list)
   if count == 0 then return end
   local indices = list._memory._data + list._offset
   local wrong = tonumber(kernels.t7_find_outside(indices, count, 1, t._size[d]))
   if wrong < count then
      errors.raise('%s: index %.0f out of range 1 to %.0f of dimension %.0f of tensor [%s]', name,
         tonumber(indices[wrong]), t._size[d], d + 1, shape(t))
   end
end

return index_lists

-- Selection by rank along a dimension, with indices. Equal elements have the order of Torch7's selection; only a few
-- unsorted best of long rows come best first, the first of equals first. nan is the largest.

local require = require
local buffers, errors = require 'torch.memory.buffers', require 'torch.base.errors'
local numel = require('torch.base.geometry').numel
local kernels, reduce_axis = require 'torch.native.kernels' 'sort/sort', require 'torch.kernels.reduce.reduce_axis'
local sort = require 'torch.kernels.sort'
local Long = require('torch.base.types').by_name.Long

local selection = {}

-- run(r, index, t, d, k): the element of rank k, from 0, of the rows along d.
local function rank_of_rows(name, T)
   return sort.one_of_rows(name, T, function(...) return kernels.t7_kth_rows(T.index, ...) end)
end

function selection.kthvalue(name, T)
   local run = rank_of_rows(name, T)
   return function(r, index, t, k, dim)
      local d = reduce_axis.dimension_of(name, t, dim, t._dim)
      k = errors.integer(name, 2, k)
      if not (k >= 1 and k <= t._size[d]) then
         errors.raise('%s: k must be 1 to %.0f (got %.0f)', name, t._size[d], k)
      end
      return run(r, index, t, d, k - 1)
   end
end

function selection.median(name, T)
   local run = rank_of_rows(name, T)
   return function(r, index, t, dim)
      local d = reduce_axis.dimension_of(name, t, dim, t._dim)
      local n = t._size[d]
      return run(r, index, t, d, (n - 1 - (n - 1) % 2) / 2)
   end
end

function selection.topk(name, T)
   local function run(x, values, indices, n, k, largest, sorted)
      sort.check(name, kernels.t7_topk_rows(T.index, largest and 1 or 0, sorted and 1 or 0,
         values._memory._data + values._offset, indices._memory._data + indices._offset, x._memory._data + x._offset,
         numel(x) / n, n, k), n)
      buffers.keep_alive(x, values, indices)
   end
   return function(r, index, t, k, dim, largest, sorted)
      local d = reduce_axis.dimension_of(name, t, dim, t._dim)
      local n = t._size[d]
      k = errors.integer(name, 1, k)
      if not (k >= 1 and k <= n) then errors.raise('%s: k must be 1 to %.0f (got %.0f)', name, n, k) end
      local x = reduce_axis.rows_of(T, t, d)
      if d == t._dim - 1 then
         local like = reduce_axis.reduced_shape(t, d, k)
         local work, given = reduce_axis.begin(T, r, like, t)
         local indices, given_index = reduce_axis.begin(Long, index, like, t)
         run(x, work, indices, n, k, largest, sorted)
         return T.result(given, work), Long.result(given_index, indices)
      end
      local like = reduce_axis.reduced_shape(t, d, k)
      local work, indices = reduce_axis.kept('values', T, like), reduce_axis.kept('indices', Long, like)
      run(x, work, indices, n, k, largest, sorted)
      like = reduce_axis.reduced_shape(t, d, k)
      return sort.scatter_rows(T, r, like, work, d), sort.scatter_rows(Long, index, like, indices, d)
   end
end

return selection

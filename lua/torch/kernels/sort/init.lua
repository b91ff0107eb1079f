-- Sorting along a dimension, with indices; selection.lua picks elements by rank. Rows of the dimension are copied
-- together. Equal elements have the order of Torch7's quicksort: docs/decisions/0010-tie-breaking.md,
-- docs/decisions/0008-sorting.md. nan is the largest.

local buffers, errors = require 'torch.memory.buffers', require 'torch.base.errors'
local kernels, reduce_axis = require 'torch.native.kernels' 'sort/sort', require 'torch.kernels.reduce.reduce_axis'
local numel = require('torch.base.geometry').numel
local Long = require('torch.base.types').by_name.Long

local sort = {}

-- A result of the sizes of `like`, r if given, with `rows` along dimension d.
function sort.scatter_rows(R, r, like, rows, d)
   r = r and R.resize_as(r, like) or R.new_like(like)
   R.copy_from(d < r._dim - 1 and reduce_axis.moved_to_end(R, r, d) or r, R, rows)
   return r
end

-- Raises if a kernel had no memory for a row.
function sort.check(name, done, n)
   if done == 0 then errors.raise('%s: no memory to sort rows of %.0f elements', name, n) end
end

function sort.sort(name, T)
   return function(r, index, t, dim, down)
      local d = reduce_axis.dimension_of(name, t, dim, t._dim)
      local n, is_last = t._size[d], d == t._dim - 1
      local from = reduce_axis.rows_of(T, t, d)
      -- Results that share memory are written one after the other.
      local is_direct = is_last and not (T == Long and r and index and Long.shares(r, index))
      local values, indices, given, given_index
      if is_last then
         values, given = reduce_axis.begin(T, is_direct and r or nil, t, t)
         indices, given_index = reduce_axis.begin(Long, is_direct and index or nil, t, t)
      else
         values, indices = reduce_axis.kept('values', T, from), reduce_axis.kept('indices', Long, from)
      end
      sort.check(name, kernels.t7_sort_rows(T.index, down and 1 or 0, values._memory._data + values._offset,
         indices._memory._data + indices._offset, from._memory._data + from._offset, numel(t) / n, n), n)
      buffers.keep_alive(values, indices, from)
      if is_direct then return T.result(given, values), Long.result(given_index, indices) end
      if is_last then return T.result(r, values), Long.result(index, indices) end
      return sort.scatter_rows(T, r, t, values, d), sort.scatter_rows(Long, index, t, indices, d)
   end
end

-- run(r, index, t, d, k): one element of each row along d, and its index: pick(values, indices, x, rows, n, k) as
-- t7_kth_rows.
function sort.one_of_rows(name, T, pick)
   return function(r, index, t, d, k)
      local from, n = reduce_axis.rows_of(T, t, d), t._size[d]
      local like = reduce_axis.reduced_shape(t, d, 1)
      local work, given = reduce_axis.begin(T, r, like, t)
      local indices, given_index = reduce_axis.begin(Long, index, like, t)
      sort.check(name, pick(work._memory._data + work._offset, indices._memory._data + indices._offset,
         from._memory._data + from._offset, numel(t) / n, n, k), n)
      buffers.keep_alive(work, indices, from)
      return T.result(given, work), Long.result(given_index, indices)
   end
end

-- The end of the longest run of equals in order, the first of several.
function sort.mode(name, T)
   local run = sort.one_of_rows(name, T, function(values, indices, x, rows, n)
      return kernels.t7_mode_rows(T.index, values, indices, x, rows, n)
   end)
   return function(r, index, t, dim)
      return run(r, index, t, reduce_axis.dimension_of(name, t, dim, t._dim))
   end
end

return sort

-- Kernels that pick elements along a dimension, with an index for each element.

local rawequal, require = rawequal, require
local element, errors = require 'torch.loops.element', require 'torch.base.errors'
local geometry, buffers = require 'torch.base.geometry', require 'torch.memory.buffers'
local index_lists, native = require 'torch.kernels.index.index_lists', require 'torch.native.native'
local kernels = require 'torch.native.kernels' 'index/index'
local reduce_axis, types = require 'torch.kernels.reduce.reduce_axis', require 'torch.base.types'
local strided_iterator = require 'torch.loops.strided_iterator'
local shape, RANK3, MATRIX = geometry.shape, geometry.RANK3, geometry.MATRIX
local are_indices, check_indices = index_lists.are_indices, index_lists.check
local dimension_of, keep_alive, is_shared = reduce_axis.dimension_of, buffers.keep_alive, buffers.is_shared
local Long = types.by_name.Long

local scatter = {}

-- gather and scatter walk the indices together with a view of t whose dimension d has step 0, for the offset along d.
local index_plan = strided_iterator.new(2)

-- That view, and the plan of the walk. In the other dimensions the indices have t's sizes, or smaller if not `exact`.
local function prepare(name, T, t, d, list, exact)
   if list._dim ~= t._dim then
      errors.argument(name, 2, 'must be a LongTensor of %.0f dimensions for tensor [%s] (got [%s])', t._dim, shape(t),
         shape(list))
   end
   local start = T.alias(t)
   for k = 0, t._dim - 1 do
      if k ~= d and (list._size[k] > t._size[k] or exact and list._size[k] < t._size[k]) then
         errors.raise('%s: indices [%s] %s tensor [%s] in dimension %d', name, shape(list),
            exact and 'differ from' or 'reach beyond', shape(t), k + 1)
      end
      start._size[k] = list._size[k]
   end
   start._stride[d] = 0
   strided_iterator.prepare(index_plan, 2, list, start)
   return start, index_plan
end

-- The count of the second loop of a plan, and its steps in the indices and in t.
local function second_loop(p)
   if p.dim < 2 then return 1, 0, 0 end
   return p.size[1], p.step[1][1], p.step[2][1]
end

local function is_matrix(t) return t._layout >= MATRIX and t._layout < RANK3 end

-- Whether t and the indices, which are valid, are contiguous matrices that differ in dimension d alone.
local function are_matrices(t, d, list)
   return is_matrix(t) and is_matrix(list) and list._size[1 - d] == t._size[1 - d] and not is_shared(list._memory)
      and are_indices(list._memory._data + list._offset, list._count, t._size[d])
end

-- The loops over such matrices: rows, indices of each, and steps in t between rows, between indices and for an index.
-- Indices for one element of each row are a single loop.
local function loops_of(t, d, list)
   local rows, columns = list._size[0], list._size[1]
   if d == 0 then return rows, columns, 0, 1, t._size[1] end
   if columns == 1 then return 1, rows, 0, t._size[1], 1 end
   return rows, columns, t._size[1], 0, 1
end

-- The part of a given result that is filled: in dimension d it may be longer than the indices.
local function filled_part(name, T, r, d, list)
   if geometry.same_size(r, list) then return r end
   local part, fits = T.alias(r), r._dim == list._dim
   for k = 0, list._dim - 1 do
      fits = fits and (list._size[k] == r._size[k] or k == d and list._size[k] < r._size[k])
      if fits then part._size[k] = list._size[k] end
   end
   if not fits then
      errors.raise('%s: the result must have the sizes of the indices [%s] (got [%s])', name, shape(list), shape(r))
   end
   return part
end

function scatter.gather(name, T)
   return function(r, t, dim, list)
      local d = dimension_of(name, t, dim)
      if not r and are_matrices(t, d, list) then
         r = T.new_matrix(list._size[0], list._size[1])
         local rows, count, row, step, stride = loops_of(t, d, list)
         kernels.t7_gather(T.size, r._memory._data, count, 1, t._memory._data + t._offset, row, step,
            list._memory._data + list._offset, count, stride, count, rows)
         keep_alive(list, t, r)
         return r
      end
      local part = r and filled_part(name, T, r, d, list)
      list = Long.snapshot(list, r)
      local start, p = prepare(name, T, t, d, list, true)
      check_indices(name, t, d, list)
      local result = part and geometry.contiguous(part) and not T.shares(part, t) and part or T.new_like(list)
      local stride = t._stride[d]
      local indices, from = list._memory._data + list._offset, start._memory._data + start._offset
      local to = result._memory._data + result._offset
      local rows, row, from_row = second_loop(p)
      strided_iterator.start(p)
      repeat
         kernels.t7_gather(T.size, to + p.offset[1], row, 1, from + p.offset[2], from_row, p.step[2][0],
            indices + p.offset[1], row, stride, p.size[0], rows)
      until not strided_iterator.next(p, 2, 2)
      keep_alive(list, start)
      if not rawequal(part, result) then result = T.result(part, result) end
      return r or result
   end
end

-- `values` has an element for each index in order, or one for all (value_step 0).
local function scatter_into(name, T, t, d, list, values, value_step)
   local start, p = prepare(name, T, t, d, list, value_step == 0)
   check_indices(name, t, d, list)
   local stride = t._stride[d]
   local indices, to = list._memory._data + list._offset, start._memory._data + start._offset
   local rows, row, to_row = second_loop(p)
   strided_iterator.start(p)
   repeat
      kernels.t7_scatter(T.size, values + p.offset[1] * value_step, row * value_step, value_step, to + p.offset[2],
         to_row, p.step[2][0], indices + p.offset[1], row, stride, p.size[0], rows)
   until not strided_iterator.next(p, 2, 2)
   keep_alive(list, start)
   return t
end

-- The same for contiguous matrices, whose indices are valid.
local function scatter_matrix(T, t, d, list, values, value_step)
   local rows, count, row, step, stride = loops_of(t, d, list)
   kernels.t7_scatter(T.size, values, count * value_step, value_step, t._memory._data + t._offset, row, step,
      list._memory._data + list._offset, count, stride, count, rows)
   keep_alive(list, t)
end

function scatter.scatter(name, T)
   return function(t, dim, list, source)
      local d = dimension_of(name, t, dim)
      if T ~= Long and source._layout == list._layout and not T.shares(source, t) and are_matrices(t, d, list) then
         scatter_matrix(T, t, d, list, source._memory._data + source._offset, 1)
         keep_alive(source)
         return t
      end
      list = Long.snapshot(list, t)
      local part = T.alias(source)
      local fits = source._dim == list._dim
      for k = 0, list._dim - 1 do
         fits = fits and list._size[k] <= source._size[k]
         if fits then part._size[k] = list._size[k] end
      end
      if not fits or list._dim == 0 then
         errors.raise('%s: source [%s] is smaller than the indices [%s]', name, shape(source), shape(list))
      end
      local values = geometry.contiguous(part) and not T.shares(part, t) and part or T.clone(part)
      scatter_into(name, T, t, d, list, values._memory._data + values._offset, 1)
      keep_alive(values)
      return t
   end
end

function scatter.scatter_value(name, T)
   local one, set = native.buffer(T.c, 1), element.setter(T)
   return function(t, dim, list, value)
      local d = dimension_of(name, t, dim)
      set(one, 0, value)
      if T ~= Long and are_matrices(t, d, list) then
         scatter_matrix(T, t, d, list, one, 0)
         return t
      end
      return scatter_into(name, T, t, d, Long.snapshot(list, t), one, 0)
   end
end

return scatter

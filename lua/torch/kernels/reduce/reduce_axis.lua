-- Reductions to one number or along a dimension, which keeps size 1, computed into contiguous memory. Tensors whose
-- dimensions before the reduced one and after it are a loop each are read in place, as outer x n x inner elements;
-- others are copied. The order of sums: docs/decisions/0013-order-of-sums.md.

local floor, max, min, require = math.floor, math.max, math.min, require
local errors, geometry = require 'torch.base.errors', require 'torch.base.geometry'
local buffers = require 'torch.memory.buffers'
local equal_kernels = require 'torch.native.kernels' 'reduce/equal'
local kernels = require 'torch.native.kernels' 'reduce/reduce'
local strided_iterator, types = require 'torch.loops.strided_iterator', require 'torch.base.types'
local finish_trace = require('torch.jit.trace').finish
local tuning = require 'torch.loops.tuning'
local contiguous, numel, shape = geometry.contiguous, geometry.numel, geometry.shape
local RANK3, MATRIX = geometry.RANK3, geometry.MATRIX

local reduce_axis = {}

local one_plan = strided_iterator.new(1)

local KEPT_BYTES = tuning.KEPT_ROWS_BYTES

-- The loops over up to two dimensions in memory order, merged, without loops here: those of programs compile.
local function few_loops(p, t)
   local size, step = p.size, p.step[1]
   local inner, outer = t._dim - 1, 0
   if t._dim == 2 and (t._size[1] == 1 or t._size[0] > 1 and t._stride[0] < t._stride[1]) then inner, outer = 0, 1 end
   size[0], step[0] = t._size[inner], t._size[inner] == 1 and 1 or t._stride[inner]
   if t._dim == 1 or t._size[outer] == 1 then
      p.dim = 1
   elseif t._stride[outer] == step[0] * size[0] then
      p.dim, size[0] = 1, size[0] * t._size[outer]
   else
      p.dim, size[1], step[1] = 2, t._size[outer], t._stride[outer]
   end
end

-- The reduction of all elements: of_all(data, count) of contiguous elements, of_loops(data, plan) of others, in memory
-- order.
function reduce_axis.total(t, of_all, of_loops)
   local data, value = t._memory._data + t._offset
   if contiguous(t) then
      value = of_all(data, numel(t))
   else
      local p = one_plan
      if t._dim <= 2 then
         few_loops(p, t)
      else
         strided_iterator.prepare(p, 1, t)
         strided_iterator.in_memory_order(p)
      end
      value = p.dim == 1 and p.step[1][0] == 1 and of_all(data, p.size[0]) or of_loops(data, p)
   end
   buffers.keep_alive(t)
   return value
end

-- A t7_reduction of all elements with its number, f(t, p).
local function total_of(T, reduction)
   local index, number = T.index, 0
   local function of_all(data, count) return kernels.t7_reduce_all(index, reduction, number, data, count) end
   local function of_loops(data, p)
      return kernels.t7_reduce_loops(index, reduction, number, data, p.dim, p.size, p.step[1])
   end
   return function(t, p)
      number = p or 0
      return reduce_axis.total(t, of_all, of_loops)
   end
end
reduce_axis.total_of = total_of

function reduce_axis.sum_all(_, T)
   local sum = total_of(T, kernels.T7_SUM)
   return function(t) return t._dim == 0 and 0 or sum(t) end
end

-- Products of integers of all types wrap as those of 64 bits do.
function reduce_axis.prod_all(_, T)
   local product = total_of(T, kernels.T7_PRODUCT)
   return function(t) return t._dim == 0 and 1 or product(t) end
end

local function check_not_empty(name, t)
   if t._dim == 0 then errors.raise("%s: self must have at least one dimension (got an empty tensor)", name) end
end
reduce_axis.check_not_empty = check_not_empty

function reduce_axis.mean_all(name, T)
   local sum = reduce_axis.sum_all(name, T)
   return function(t)
      check_not_empty(name, t)
      return sum(t) / numel(t)
   end
end

-- The dimension to reduce, counted from 0; nil is `default`.
local function dimension_of(name, t, dim, default)
   dim = dim or default
   if dim % 1 ~= 0 then dim = errors.integer(name, 2, dim) end
   if not (dim >= 1 and dim <= t._dim) then
      dim = geometry.from_last(dim, t._dim)
         or errors.raise('%s: dimension %.0f out of range of %.0fD tensor [%s]', name, dim, t._dim, shape(t))
   end
   return dim - 1
end
reduce_axis.dimension_of = dimension_of

local shapes

-- The sizes of t reduced along d to `size` elements, in a tensor that is valid until the next call.
local function reduced_shape(t, d, size)
   shapes = shapes or types.by_name.Byte.new_tensor()
   geometry.copy(shapes, t)
   shapes._size[d] = size
   return shapes
end
reduce_axis.reduced_shape = reduced_shape

-- A new tensor for results, or r if it is contiguous and not aliased by t; second r where T.result has to fill it.
local function begin(R, r, like, t)
   if not r then return R.new_like(like), nil end
   if R.shares(r, t) then return R.new_like(like), r end
   R.resize_as(r, like)
   if contiguous(r) then return r, nil end
   return R.new_like(like), r
end
reduce_axis.begin = begin

local function moved_to_end(T, t, d)
   local v, last = T.alias(t), t._dim - 1
   local size, stride = v._size[d], v._stride[d]
   finish_trace()
   for k = d, last - 1 do v._size[k], v._stride[k] = v._size[k + 1], v._stride[k + 1] end
   v._size[last], v._stride[last] = size, stride
   return v
end
reduce_axis.moved_to_end = moved_to_end

local kept_by_use = { rows = {}, values = {}, indices = {} }

-- A contiguous tensor of the sizes of `like` for one of these uses, until the next call for the type.
local function kept(use, T, like)
   if numel(like) * T.size > KEPT_BYTES then return T.new_like(like) end
   local rows = kept_by_use[use][T]
   if not rows then
      rows = T.new_vector(KEPT_BYTES / T.size)
      kept_by_use[use][T] = rows
   end
   -- By rows in any dialect.
   geometry.copy(rows, like)
   geometry.set_contiguous(rows)
   return rows
end
reduce_axis.kept = kept

-- t, or a copy, with dimension d moved to the end and contiguous: read-only, until the next call for the type and use.
function reduce_axis.rows_of(T, t, d, use)
   local v = d < t._dim - 1 and moved_to_end(T, t, d) or t
   if contiguous(v) then return v end
   if numel(v) * T.size > KEPT_BYTES then return T.clone(v) end
   local rows = kept(use or 'rows', T, v)
   T.copy_from(rows, T, v)
   return rows
end

-- Tells whether the elements of t fill a range of memory, in any order.
function reduce_axis.is_dense(t)
   if contiguous(t) then return true end
   strided_iterator.prepare(one_plan, 1, t)
   strided_iterator.in_memory_order(one_plan)
   return one_plan.dim == 1 and one_plan.step[1][0] == 1
end

-- The products of the sizes before dimension d, and of those after it.
local function outer_inner(t, d)
   local outer, inner = 1, 1
   for k = 0, d - 1 do outer = outer * t._size[k] end
   for k = d + 1, t._dim - 1 do inner = inner * t._size[k] end
   return outer, inner
end
reduce_axis.outer_inner = outer_inner

-- The number of elements of dimensions `from` to `to` - 1, and the step between them; nil if it varies.
local function one_loop(t, from, to)
   local count, step = 1, 1
   for k = to - 1, from, -1 do
      local size, stride = t._size[k], t._stride[k]
      if size ~= 1 then
         if count == 1 then step = stride elseif stride ~= step * count then return nil end
         count = count * size
      end
   end
   return count, step
end

-- t as outer x n x inner: t (a copy when it has to be), then for each of the three the count and the step.
local function three_loops(T, t, d)
   local dim = t._dim
   if dim == 2 then
      local other = 1 - d
      return t, 1, 0, t._size[d], t._stride[d], t._size[other], t._stride[other]
   elseif dim == 1 then
      return t, 1, 0, t._size[0], t._stride[0], 1, 1
   end
   local outer, outer_step = one_loop(t, 0, d)
   local inner, inner_step = one_loop(t, d + 1, dim)
   if outer and inner then return t, outer, outer_step, t._size[d], t._stride[d], inner, inner_step end
   return three_loops(T, T.clone(t), d)
end
reduce_axis.three_loops = three_loops

-- r = t reduced along dimension d, by a t7_reduction with its number.
function reduce_axis.reduce(T, r, t, d, options, p)
   local work, given = begin(T, r, reduced_shape(t, d, 1), t)
   local x, outer, outer_step, n, n_step, inner, inner_step = three_loops(T, t, d)
   kernels.t7_reduce_along(T.index, options, p, work._memory._data + work._offset, x._memory._data + x._offset, outer,
      outer_step, n, n_step, inner, inner_step)
   buffers.keep_alive(x, work)
   return T.result(given, work)
end

-- r = t reduced along a dimension. options: { reduction = 'SUM' or 'PRODUCT' }. As in Torch7, Floats that do not follow
-- each other are summed in their type.
function reduce_axis.along(name, T, options)
   local new_matrix, reduction, index = T.new_matrix, kernels['T7_' .. options.reduction], T.index
   local apart = T.name == 'Float' and kernels['T7_ROUNDED_' .. options.reduction] or reduction
   local function reduction_for(t, d) return t._stride[d] == 1 and reduction or apart end
   return function(r, t, dim)
      local layout = t._layout
      if layout >= MATRIX and layout < RANK3 and not r and (dim == 1 or dim == 2) then
         -- A contiguous matrix, for which the sizes suffice.
         local rows, columns, data = t._size[0], t._size[1], t._memory._data + t._offset
         if dim == 1 then
            r = new_matrix(1, columns)
            kernels.t7_reduce_along(index, reduction_for(t, 0), 0, r._memory._data, data, 1, 0, rows, columns, columns,
               1)
         else
            r = new_matrix(rows, 1)
            kernels.t7_reduce_along(index, reduction, 0, r._memory._data, data, 1, 0, columns, 1, rows, columns)
         end
         buffers.keep_alive(t, r)
         return r
      end
      local d = dimension_of(name, t, dim)
      return reduce_axis.reduce(T, r, t, d, reduction_for(t, d), 0)
   end
end

function reduce_axis.mean_along(name, T, options)
   local sum = reduce_axis.along(name, T, options)
   local divide = require('torch.kernels.elementwise').map(name, T, { 'z = x / v' }, 'r t v')
   return function(r, t, dim)
      local n = t._size[dimension_of(name, t, dim)]
      r = sum(r, t, dim)
      return divide(r, r, n)
   end
end

local function are_equal(T, t, u)
   local last = t._dim - 1
   local x, y = reduce_axis.rows_of(T, t, last), reduce_axis.rows_of(T, u, last, 'values')
   local equal = equal_kernels.t7_are_equal(T.index, x._memory._data + x._offset, y._memory._data + y._offset,
      numel(x))
   buffers.keep_alive(x, y)
   return equal == 1
end

-- Of large tensors in other layouts a few rows at a time are copied.
local function are_parts_equal(T, t, u)
   finish_trace()
   local rows = t._size[0]
   local at_once = max(1, floor(KEPT_BYTES / T.size / (numel(t) / rows)))
   for from = 0, rows - 1, at_once do
      local count = min(at_once, rows - from)
      if not are_equal(T, T.narrow_view(t, 0, from, count), T.narrow_view(u, 0, from, count)) then return false end
   end
   return true
end

function reduce_axis.equal(_, T)
   return function(t, u)
      if not geometry.same_size(t, u) then return false end
      if t._dim == 0 then return true end
      if numel(t) * T.size <= KEPT_BYTES or contiguous(t) and contiguous(u) then return are_equal(T, t, u) end
      return are_parts_equal(T, t, u)
   end
end

-- Tells whether all, or any, elements of a ByteTensor are not 0.
function reduce_axis.all(name)
   return function(t)
      check_not_empty(name, t)
      return t:min() > 0
   end
end

function reduce_axis.any(name)
   return function(t)
      check_not_empty(name, t)
      return t:max() > 0
   end
end

function reduce_axis.trace(name, T)
   local sum = reduce_axis.sum_all(name, T)
   return function(t)
      if t._dim ~= 2 then errors.argument(name, 1, 'must be a matrix (got a %.0fD tensor [%s])', t._dim, shape(t)) end
      local diagonal = T.alias(t)
      diagonal._dim = 1
      diagonal._size[0] = t._size[0] < t._size[1] and t._size[0] or t._size[1]
      diagonal._stride[0] = t._stride[0] + t._stride[1]
      return sum(diagonal)
   end
end

return reduce_axis

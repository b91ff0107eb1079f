-- Kernels that pick elements by index tensors. Indices count from 1 and are checked before use: where others may change
-- them meanwhile, in a copy.

local require, tonumber = require, tonumber
local ffi = require 'ffi'
local element, errors = require 'torch.base.element', require 'torch.base.errors'
local elementwise, geometry = require 'torch.kernels.elementwise', require 'torch.base.geometry'
local parallel_copy, buffers = require 'torch.parallel.parallel_copy', require 'torch.memory.buffers'
local strided_iterator, types = require 'torch.base.strided_iterator', require 'torch.base.types'
local reduce_axis, template = require 'torch.kernels.reduce.reduce_axis', require 'torch.jit.template'
local finish_trace = require('torch.jit.trace').finish
local libc, native, unroll = require 'torch.native.libc', require 'torch.native.native', require 'torch.jit.unroll'
local contiguous, count_of, shape = geometry.contiguous, geometry.count, geometry.shape
local CUBE, MATRIX = geometry.CUBE, geometry.MATRIX
local cast, byte_p = ffi.cast, ffi.typeof 'char *'
local dimension_of, alive, others_write = reduce_axis.dimension_of, buffers.alive, buffers.others_write
local Long = types.by_name.Long

local gather = {}

local check_loop = [[
return function(indices, count, size)
   for k = 0, count - 1 do
      local i = indices[k]
      if i < 1 or i > size then return tonumber(i) end
   end
end]]

-- The loops over indices are compiled for each operation and type.
local function compile(name, source, T)
   local bits, settle = element.mover(T)
   return template.compile(name, source, nil,
      { tonumber = tonumber, int64 = ffi.typeof 'int64_t', finish_trace = finish_trace, C = libc, bits = bits,
         settle = settle })
end

local first_wrong = compile('indices', check_loop, Long)

-- Tells whether all of `count` >= 1 indices are valid for a dimension of `size`. NumPy's loops find the
-- extremes: a loop of Lua would keep the loop around the call from being compiled as one trace.
local minimum, maximum = native.loop_alone('minimum', Long, Long, Long), native.loop_alone('maximum', Long, Long, Long)
local least, most = native.buffer('int64_t', 1), native.buffer('int64_t', 1)

local function are_indices(indices, count, size)
   least[0], most[0] = indices[0], indices[0]
   minimum(least, 0, indices, 8, least, 0, count)
   maximum(most, 0, indices, 8, most, 0, count)
   return tonumber(least[0]) >= 1 and tonumber(most[0]) <= size
end

-- Raises unless all of the contiguous `list` are indices of dimension d of t.
local function check_indices(name, t, d, list)
   local count = count_of(list)
   if count == 0 or are_indices(list._memory._data + list._offset, count, t._size[d]) then return end
   finish_trace()
   local wrong = first_wrong(list._memory._data + list._offset, count_of(list), t._size[d])
   if wrong then
      errors.raise('%s: index %.0f out of range 1 to %.0f of dimension %.0f of tensor [%s]', name, wrong, t._size[d],
         d + 1, shape(t))
   end
end

-- The dimension, from 0, the indices of a call that writes to `target`, as a contiguous pointer, and their number.
local function read_indices(name, t, dim, list, target)
   local d = dimension_of(name, t, dim)
   if list._dim ~= 1 then
      errors.argument(name, 2, 'must be a vector of indices (got LongTensor [%s])', shape(list))
   end
   list = Long.steady(list, target)
   check_indices(name, t, d, list)
   -- The caller keeps the list alive as long as it uses the pointer.
   return d, list._memory._data + list._offset, list._size[0], list
end

local function position_view(T, t, d, i)
   return T.narrow_view(t, d, tonumber(i) - 1, 1)
end

-- Source of a function of the parameters and a count that runs a statement for k from 0, unrolled for few.
local function short_loop(parameters, statement, from)
   local turn = statement:gsub('%f[%w]k%f[%W]', '(start + %%d)')
   return template.fill('short loop', [[
local function long(${parameters}, count)
   finish_trace()
   for k = 0, count - 1 do ${statement} end
end
return function(${parameters}, count)
   to, ${from} = bits(to), bits(${from})
   if count > 31 then
      long(${parameters}, count)
   else
      local start = 0
      ${turns}
   end
   settle(to)
end]], { from = from, parameters = parameters, statement = statement,
      turns = unroll.chunks(16, 'count', turn, 'start = start + %d') })
end

-- to[k] = the element of `from` at indices[k] along a dimension; `step` moves the others.
local gather_loop = short_loop('to, from, step, indices, stride',
   'to[k] = from[k * step + (tonumber(indices[k]) - 1) * stride]', 'from')

-- The same for `rows` of them, which are `row` elements apart in the result and the indices, from_row in the source.
-- Products of whole numbers need no conversions.
local gather_planes = [[
return function(to, from, step, from_row, indices, row, stride, count, rows)
   finish_trace()
   to, from = bits(to), bits(from) - stride
   local span, move = int64(stride), int64(step)
   for j = 0, rows - 1 do
      local to, from, indices = to + j * row, from + j * from_row, indices + j * row
      for k = 0, count - 1 do to[k] = from[indices[k] * span + move * k] end
   end
   settle(to)
end]]

local gather_rows_loop = [=[
return function(to, from, rows, size, indices, count)
   to, from = bits(to), bits(from)
   for row = 0, rows - 1 do
      local to, from = to + row * count, from + row * size - 1
      for k = 0, count - 1 do to[k] = from[indices[k]] end
   end
   settle(to)
end]=]

-- The same for a few rows of `n` elements.
local move_loop = short_loop('to, from, n, bytes, indices',
   'C.t7_memmove(to + k * n, from + (tonumber(indices[k]) - 1) * n, bytes)', 'from')

-- Copies slices of dimension d of t, contiguous, by their indices.
local function copy_slices(to, from, t, d, indices, count, size)
   local slice, outer = size, 1
   for k = d + 1, t._dim - 1 do slice = slice * t._size[k] end
   for k = 0, d - 1 do outer = outer * t._size[k] end
   for _ = 1, outer do
      parallel_copy.rows(to, from, indices, slice, count)
      to, from = to + count * slice, from + t._size[d] * slice
   end
end

-- Up to this many indices need no loop.
local FEW = 31

-- Copies rows (d is 0) or columns of a matrix of any layout, without a view for each.
local function copy_lines(T, r, t, d, indices, count)
   local to, from = r._memory._data + r._offset, t._memory._data + t._offset
   local other = 1 - d
   finish_trace()
   for k = 0, count - 1 do
      parallel_copy.elements(T, to + k * r._stride[d], r._stride[other], T,
         from + (tonumber(indices[k]) - 1) * t._stride[d], t._stride[other], t._size[other])
   end
end

local function index(name, T)
   local run, run_rows = compile('index', gather_loop, T), compile('index', gather_rows_loop, T)
   local run_moves = compile('index', move_loop, T)
   return function(r, t, dim, list)
      if not r and dim == 1 and list._layout > 0 and list._layout <= FEW and t._layout > 0 and t._layout < CUBE
         and not others_write(list._memory)
         and are_indices(list._memory._data + list._offset, list._layout, t._size[0]) then
         -- A few rows, or elements, of a contiguous tensor.
         if t._dim == 1 then
            r = T.new_vector(list._layout)
            run(r._memory._data, t._memory._data + t._offset, 0, list._memory._data + list._offset, 1, list._layout)
         else
            r = T.new_matrix(list._layout, t._size[1])
            run_moves(r._memory._data, t._memory._data + t._offset, t._size[1], t._size[1] * T.size,
               list._memory._data + list._offset, list._layout)
         end
         alive(list, t, r)
         return r
      end
      local d, indices, count, keep = read_indices(name, t, dim, list, r)
      if r and T.shares(r, t) then t = T.clone(t) end
      local like = reduce_axis.reduced_shape(t, d, count)
      r = r and T.resize_as(r, like) or T.new_like(like)
      if t._dim == 1 and r._stride[0] == 1 then
         run(r._memory._data + r._offset, t._memory._data + t._offset, 0, indices, t._stride[0], count)
      elseif (d == 0 or d < t._dim - 1) and contiguous(r) and contiguous(t) then
         copy_slices(cast(byte_p, r._memory._data + r._offset), cast(byte_p, t._memory._data + t._offset), t, d,
            indices, count, T.size)
      elseif d == t._dim - 1 and count_of(t) / t._size[d] <= 4 * count and contiguous(r) and contiguous(t) then
         -- Many more rows than indices are faster copied column by column.
         run_rows(r._memory._data + r._offset, t._memory._data + t._offset, count_of(t) / t._size[d], t._size[d],
            indices, count)
      elseif t._dim == 2 then
         copy_lines(T, r, t, d, indices, count)
      else
         finish_trace()
         for k = 0, count - 1 do
            T.copy_from(T.narrow_view(r, d, k, 1), T, position_view(T, t, d, indices[k]))
         end
      end
      alive(keep, t)
      return r
   end
end
gather.index = index

function gather.index_new(name, T)
   local kernel = index(name, T)
   return function(t, dim, list) return (kernel(nil, t, dim, list)) end
end

-- The source of indexCopy and indexAdd has a slice along dimension d for each index, of the size of one of t.
local function check_source(name, t, d, count, source)
   local fits = source._dim > d and source._size[d] == count
   if not fits or count_of(source) / count ~= count_of(t) / t._size[d] then
      errors.raise('%s: source [%s] does not fit %.0f indices along dimension %.0f of tensor [%s]', name,
         shape(source), count, d + 1, shape(t))
   end
end

-- Writes slice after slice of the source to t: put(T) gives the function for two views.
local function index_put(put)
   return function(name, T)
      local bring = put(T)
      return function(t, dim, list, source)
         local d, indices, count, keep = read_indices(name, t, dim, list, t)
         check_source(name, t, d, count, source)
         if T.shares(t, source) then source = T.clone(source) end
         finish_trace()
         for k = 0, count - 1 do
            bring(position_view(T, t, d, indices[k]), T.narrow_view(source, d, k, 1))
         end
         alive(keep)
         return t
      end
   end
end

gather.index_copy = index_put(function(T) return T.tensor_methods.copy end)

gather.index_add = index_put(function(T)
   local add = elementwise.map('indexAdd', T, { 'z = add x y' }, 'r t t')
   return function(to, from) add(to, to, from) end
end)

function gather.index_fill(name, T)
   return function(t, dim, list, value)
      local d, indices, count, keep = read_indices(name, t, dim, list, t)
      finish_trace()
      for k = 0, count - 1 do T.fill(position_view(T, t, d, indices[k]), value) end
      alive(keep)
      return t
   end
end

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

-- Whether t is a contiguous matrix and the indices, few and valid, are one for each row (d is 1) or column (d is 0).
local function is_line(t, d, list)
   return t._layout >= MATRIX and t._layout < CUBE and list._layout >= MATRIX and list._layout < CUBE
      and list._count <= FEW and list._size[1 - d] == t._size[1 - d] and list._size[d] == 1
      and not others_write(list._memory) and are_indices(list._memory._data + list._offset, list._count, t._size[d])
end

function gather.gather(name, T)
   local run, run_planes = compile('gather', gather_loop, T), compile('gather', gather_planes, T)
   return function(r, t, dim, list)
      local d = dimension_of(name, t, dim)
      if not r and is_line(t, d, list) then
         r = T.new_matrix(list._size[0], list._size[1])
         run(r._memory._data, t._memory._data + t._offset, d == 1 and t._size[1] or 1,
            list._memory._data + list._offset, d == 1 and 1 or t._size[1], list._count)
         alive(list, t, r)
         return r
      end
      if r and not geometry.same_size(r, list) then
         errors.raise('%s: the result must have the sizes of the indices [%s] (got [%s])', name, shape(list), shape(r))
      end
      list = Long.steady(list)
      local start, p = prepare(name, T, t, d, list, true)
      check_indices(name, t, d, list)
      local result = T.new_like(list)
      local stride = t._stride[d]
      local indices, from = list._memory._data + list._offset, start._memory._data + start._offset
      local to = result._memory._data
      local rows, row, from_row = second_loop(p)
      strided_iterator.start(p)
      repeat
         run_planes(to + p.offset[1], from + p.offset[2], p.step[2][0], from_row, indices + p.offset[1], row, stride,
            p.size[0], rows)
      until not strided_iterator.next(p, 2, 2)
      alive(list, start)
      return T.result(r, result)
   end
end

local scatter_loop = short_loop('to, step, indices, stride, values, value_step',
   'to[k * step + (tonumber(indices[k]) - 1) * stride] = values[k * value_step]', 'values')

-- The same for rows, as for gather_planes.
local scatter_planes = [[
local function spread(to, step, to_row, indices, row, stride, value, count, rows)
   local span, move = int64(stride), int64(step)
   for j = 0, rows - 1 do
      local to, indices = to + j * to_row, indices + j * row
      for k = 0, count - 1 do to[indices[k] * span + move * k] = value end
   end
end

return function(to, step, to_row, indices, row, stride, values, value_step, count, rows)
   finish_trace()
   to, values = bits(to) - stride, bits(values)
   if value_step == 0 then
      spread(to, step, to_row, indices, row, stride, values[0], count, rows)
      return settle(to)
   end
   local span, move = int64(stride), int64(step)
   for j = 0, rows - 1 do
      local to, indices, values = to + j * to_row, indices + j * row, values + j * row
      for k = 0, count - 1 do to[indices[k] * span + move * k] = values[k] end
   end
   settle(to)
end]]

-- `values` has an element for each index in order, or one for all (value_step 0).
local function scatter_into(name, T, run, t, d, list, values, value_step)
   local start, p = prepare(name, T, t, d, list, value_step == 0)
   check_indices(name, t, d, list)
   local stride = t._stride[d]
   local indices, to = list._memory._data + list._offset, start._memory._data + start._offset
   local rows, row, to_row = second_loop(p)
   strided_iterator.start(p)
   repeat
      run(to + p.offset[2], p.step[2][0], to_row, indices + p.offset[1], row, stride, values + p.offset[1] * value_step,
         value_step, p.size[0], rows)
   until not strided_iterator.next(p, 2, 2)
   alive(list, start)
   return t
end

function gather.scatter(name, T)
   local run = compile('scatter', scatter_planes, T)
   return function(t, dim, list, source)
      local d = dimension_of(name, t, dim)
      list = Long.steady(list, t)
      local part = T.alias(source)
      local fits = source._dim == list._dim
      for k = 0, list._dim - 1 do
         fits = fits and list._size[k] <= source._size[k]
         if fits then part._size[k] = list._size[k] end
      end
      if not fits or list._dim == 0 then
         errors.raise('%s: source [%s] is smaller than the indices [%s]', name, shape(source), shape(list))
      end
      local values = T.clone(part)
      scatter_into(name, T, run, t, d, list, values._memory._data, 1)
      alive(values)
      return t
   end
end

function gather.scatter_value(name, T)
   local run, run_planes = compile('scatter', scatter_loop, T), compile('scatter', scatter_planes, T)
   local one, set = native.buffer(T.c, 1), element.setter(T)
   return function(t, dim, list, value)
      local d = dimension_of(name, t, dim)
      set(one, 0, value)
      if T ~= Long and is_line(t, d, list) then
         run(t._memory._data + t._offset, d == 1 and t._size[1] or 1, list._memory._data + list._offset,
            d == 1 and 1 or t._size[1], one, 0, list._count)
         alive(list, t)
         return t
      end
      return scatter_into(name, T, run_planes, t, d, Long.steady(list, t), one, 0)
   end
end

return gather

-- Kernels that pick slices by index tensors. Indices count from 1 and are checked before use: where others may change
-- them meanwhile, in a copy.

local require, select, tonumber = require, select, tonumber
local element, errors = require 'torch.loops.element', require 'torch.base.errors'
local index_lists, kernels = require 'torch.kernels.index.index_lists', require 'torch.native.kernels' 'index/index'
local elementwise, geometry = require 'torch.kernels.elementwise', require 'torch.base.geometry'
local native, parallel_copy = require 'torch.native.native', require 'torch.parallel.parallel_copy'
local buffers, finish_trace = require 'torch.memory.buffers', require('torch.jit.trace').finish
local reduce_axis, types = require 'torch.kernels.reduce.reduce_axis', require 'torch.base.types'
local contiguous, numel, shape, RANK3 = geometry.contiguous, geometry.numel, geometry.shape, geometry.RANK3
local are_indices, dimension_of, keep_alive = index_lists.are_indices, reduce_axis.dimension_of, buffers.keep_alive
local is_shared, Long, outer_inner = buffers.is_shared, types.by_name.Long, reduce_axis.outer_inner

local gather = {}

-- The dimension, from 0, the indices of a call that writes to `target`, as a contiguous pointer, and their number.
local function read_indices(name, t, dim, list, target)
   local d = dimension_of(name, t, dim)
   if list._dim ~= 1 then
      errors.argument(name, 2, 'must be a vector of indices (got LongTensor [%s])', shape(list))
   end
   list = Long.snapshot(list, target)
   index_lists.check(name, t, d, list)
   -- The caller keeps the list alive as long as it uses the pointer.
   return d, list._memory._data + list._offset, list._size[0], list
end

local function position_view(T, t, d, i)
   return T.narrow_view(t, d, tonumber(i) - 1, 1)
end

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
   local SIZE = T.size
   return function(r, t, dim, list)
      if not r and dim == 1 and list._layout > 0 and list._layout < geometry.MATRIX and t._layout > 0
         and t._layout < RANK3 and not is_shared(list._memory)
         and are_indices(list._memory._data + list._offset, list._layout, t._size[0]) then
         -- Rows, or elements, of a contiguous tensor.
         local indices, count, from = list._memory._data + list._offset, list._layout, t._memory._data + t._offset
         if t._dim == 1 then
            r = T.new_vector(count)
            kernels.t7_gather(SIZE, r._memory._data, 0, 1, from, 0, 0, indices, 0, 1, count, 1)
         else
            r = T.new_matrix(count, t._size[1])
            kernels.t7_gather_slices(r._memory._data, from, t._size[1] * SIZE, 1, 0, indices, count)
         end
         keep_alive(list, t, r)
         return r
      end
      local d, indices, count, keep = read_indices(name, t, dim, list, r)
      if r and T.shares(r, t) then t = T.clone(t) end
      local like = reduce_axis.reduced_shape(t, d, count)
      r = r and T.resize_as(r, like) or T.new_like(like)
      local to, from = r._memory._data + r._offset, t._memory._data + t._offset
      if t._dim == 1 then
         kernels.t7_gather(SIZE, to, 0, r._stride[0], from, 0, 0, indices, 0, t._stride[0], count, 1)
      elseif contiguous(r) and contiguous(t) and (d < t._dim - 1 or numel(t) / t._size[d] <= 4 * count) then
         local outer, inner = outer_inner(t, d)
         if inner == 1 then
            kernels.t7_gather(SIZE, to, count, 1, from, t._size[d], 0, indices, 0, 1, count, outer)
         else
            kernels.t7_gather_slices(to, from, inner * SIZE, outer, t._size[d], indices, count)
         end
      elseif t._dim == 2 then
         -- Many more rows than indices are faster copied column by column.
         copy_lines(T, r, t, d, indices, count)
      else
         finish_trace()
         for k = 0, count - 1 do
            T.copy_from(T.narrow_view(r, d, k, 1), T, position_view(T, t, d, indices[k]))
         end
      end
      keep_alive(keep, t)
      return r
   end
end
gather.index = index

function gather.index_new(name, T)
   local kernel = index(name, T)
   return function(t, dim, list) return (kernel(nil, t, dim, list)) end
end

-- The source of indexCopy and indexAdd has a slice along dimension d for each index, of the size of one of t; both are
-- single elements, or neither is.
local function check_source(name, t, d, count, source)
   local fits = source._dim > d and source._size[d] == count and (t._dim == 1) == (source._dim == 1)
   if not fits or numel(source) / count ~= numel(t) / t._size[d] then
      errors.raise('%s: source [%s] does not fit %.0f indices along dimension %.0f of tensor [%s]', name,
         shape(source), count, d + 1, shape(t))
   end
end

-- Writes slice after slice of the source to t: options.view(T) gives the function for two views, options.elements(T,
-- ...) and options.slices(T, ...) move elements and slices of contiguous elements, as t7_scatter and t7_add_slices do.
local function index_put(options)
   return function(name, T)
      local target_view = options.view(T)
      return function(t, dim, list, source)
         local d, indices, count, keep = read_indices(name, t, dim, list, t)
         check_source(name, t, d, count, source)
         if T.shares(t, source) then source = T.clone(source) end
         local outer, inner = outer_inner(t, d)
         if t._dim == 1 and source._dim == 1 then
            options.elements(T, source._memory._data + source._offset, 0, source._stride[0],
               t._memory._data + t._offset, 0, 0, indices, 0, t._stride[0], count, 1)
         elseif contiguous(t) and contiguous(source) and inner == select(2, outer_inner(source, d)) then
            local to, from = t._memory._data + t._offset, source._memory._data + source._offset
            if inner == 1 then
               options.elements(T, from, count, 1, to, t._size[d], 0, indices, 0, 1, count, outer)
            else
               options.slices(T, to, from, inner, outer, t._size[d], indices, count)
            end
         else
            finish_trace()
            for k = 0, count - 1 do
               target_view(position_view(T, t, d, indices[k]), T.narrow_view(source, d, k, 1))
            end
         end
         keep_alive(keep, t, source)
         return t
      end
   end
end

gather.index_copy = index_put {
   view = function(T) return T.tensor_methods.copy end,
   elements = function(T, ...) kernels.t7_scatter(T.size, ...) end,
   slices = function(T, to, from, inner, ...) kernels.t7_scatter_slices(to, from, inner * T.size, ...) end,
}

gather.index_add = index_put {
   view = function(T)
      local add = elementwise.map('indexAdd', T, { 'z = x + y' }, 'r t t')
      return function(to, from) add(to, to, from) end
   end,
   elements = function(T, ...) kernels.t7_scatter_add(T.index, ...) end,
   slices = function(T, ...) kernels.t7_add_slices(T.index, ...) end,
}

function gather.index_fill(name, T)
   local one, set = native.buffer(T.c, 1), element.setter(T)
   return function(t, dim, list, value)
      local d, indices, count, keep = read_indices(name, t, dim, list, t)
      local outer, inner = 1, 0
      if t._dim == 1 or contiguous(t) then outer, inner = outer_inner(t, d) end
      if inner == 1 then
         local stride = t._dim == 1 and t._stride[0] or 1
         set(one, 0, value)
         kernels.t7_scatter(T.size, one, 0, 0, t._memory._data + t._offset, t._size[d], 0, indices, 0, stride, count,
            outer)
      else
         finish_trace()
         for k = 0, count - 1 do T.fill(position_view(T, t, d, indices[k]), value) end
      end
      keep_alive(keep, t)
      return t
   end
end

return gather

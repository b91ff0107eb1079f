-- Kernels that pick slices by index tensors. Indices count from 1 and are checked before use: where others may change
-- them meanwhile, in a copy.

local require, select, tonumber = require, select, tonumber
local ffi = require 'ffi'
local element = require 'torch.base.element'
local errors, index_loops = require 'torch.base.errors', require 'torch.kernels.index.index_loops'
local index_rows, libc = require 'torch.kernels.index.index_rows', require 'torch.native.libc'
local native, template = require 'torch.native.native', require 'torch.jit.template'
local elementwise, geometry = require 'torch.kernels.elementwise', require 'torch.base.geometry'
local parallel_copy, buffers = require 'torch.parallel.parallel_copy', require 'torch.memory.buffers'
local reduce_axis, types = require 'torch.kernels.reduce.reduce_axis', require 'torch.base.types'
local finish_trace = require('torch.jit.trace').finish
local contiguous, count_of, shape = geometry.contiguous, geometry.count, geometry.shape
local CUBE, FEW = geometry.CUBE, index_loops.FEW
local are_indices, compile, short_loop = index_loops.are_indices, index_loops.compile, index_loops.short_loop
local cast, byte_p = ffi.cast, ffi.typeof 'char *'
local dimension_of, alive, others_write = reduce_axis.dimension_of, buffers.alive, buffers.others_write
local Long = types.by_name.Long

local gather = {}

-- The dimension, from 0, the indices of a call that writes to `target`, as a contiguous pointer, and their number.
local function read_indices(name, t, dim, list, target)
   local d = dimension_of(name, t, dim)
   if list._dim ~= 1 then
      errors.argument(name, 2, 'must be a vector of indices (got LongTensor [%s])', shape(list))
   end
   list = Long.steady(list, target)
   index_loops.check(name, t, d, list)
   -- The caller keeps the list alive as long as it uses the pointer.
   return d, list._memory._data + list._offset, list._size[0], list
end

local function position_view(T, t, d, i)
   return T.narrow_view(t, d, tonumber(i) - 1, 1)
end

-- For few indices, four of them in all rows at a time: short loops within a long one cost more than their work.
local gather_rows_loop = [=[
return function(to, from, rows, size, indices, count)
   to, from = bits(to), bits(from)
   if count > 15 or rows < 8 then
      for row = 0, rows - 1 do
         local to, from = to + row * count, from + row * size - 1
         for k = 0, count - 1 do to[k] = from[indices[k]] end
      end
      settle(to)
      return
   end
   local left = count % 4
   for k = 0, count - left - 1, 4 do
      local a, b = tonumber(indices[k]) - 1, tonumber(indices[k + 1]) - 1
      local c, d = tonumber(indices[k + 2]) - 1, tonumber(indices[k + 3]) - 1
      for row = 0, rows - 1 do
         local to, from = to + (k + row * count), from + row * size
         to[0], to[1], to[2], to[3] = from[a], from[b], from[c], from[d]
      end
   end
   for k = count - left, count - 1 do
      local from = from + (tonumber(indices[k]) - 1)
      for row = 0, rows - 1 do to[k + row * count] = from[row * size] end
   end
   settle(to)
end]=]

-- The function for rows: the same by machine code where there is some.
local function gather_rows(T)
   local move = index_rows('index', T, 'gather')
   if not move then return compile('index', gather_rows_loop, T) end
   return function(to, from, rows, size, indices, count)
      move(to, count, 1, from, size, 0, indices, 0, 1, count, rows)
   end
end

-- Rows of `n` elements, by a few indices.
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
   local run, run_rows = compile('index', index_loops.gather_loop, T), gather_rows(T)
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
      elseif d == 0 and contiguous(r) and contiguous(t) then
         parallel_copy.rows(cast(byte_p, r._memory._data + r._offset),
            cast(byte_p, t._memory._data + t._offset), indices,
            count_of(t) / t._size[0] * T.size, count)
      elseif d < t._dim - 1 and contiguous(r) and contiguous(t) then
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

-- Slices of `inner` neighbors at indices, in `outer` parts of `size` slices, by a statement with `to` and `from`.
local slices_source = [[
return function(to, from, outer, size, inner, indices, count)
   finish_trace()
   for i = 0, outer - 1 do
      local first, source = to + i * size * inner, from + i * count * inner
      for k = 0, count - 1 do
         local to, from = first + (tonumber(indices[k]) - 1) * inner, source + k * inner
         $statement
      end
   end
end]]

local function slices(name, T, statement)
   return template.compile(name, slices_source, { statement = statement }, { C = libc,
      add = T.name ~= 'Half' and native.loop_alone('add', T, T, T), tonumber = tonumber, finish_trace = finish_trace })
end

-- The layout of a contiguous tensor: parts, and elements of a slice of dimension d.
local function slice_layout(t, d)
   local inner, outer = 1, 1
   for k = d + 1, t._dim - 1 do inner = inner * t._size[k] end
   for k = 0, d - 1 do outer = outer * t._size[k] end
   return outer, inner
end

-- Writes slice after slice of the source to t: how.view(T) gives the function for two views, how.statement the loop for
-- neighbors, where there is one, and how.move what index_rows does with single elements.
local function index_put(how)
   return function(name, T)
      local bring, statement = how.view(T), how.statement(T)
      local move, run = index_rows(name, T, how.move), statement and slices(name, T, statement)
      return function(t, dim, list, source)
         local d, indices, count, keep = read_indices(name, t, dim, list, t)
         check_source(name, t, d, count, source)
         if T.shares(t, source) then source = T.clone(source) end
         local outer, inner = slice_layout(t, d)
         if run and contiguous(t) and contiguous(source) and inner == select(2, slice_layout(source, d)) then
            local to, from = t._memory._data + t._offset, source._memory._data + source._offset
            if inner == 1 and move then
               move(from, count, 1, to, t._size[d], 0, indices, 0, 1, count, outer)
            else
               run(to, from, outer, t._size[d], inner, indices, count)
            end
         else
            finish_trace()
            for k = 0, count - 1 do
               bring(position_view(T, t, d, indices[k]), T.narrow_view(source, d, k, 1))
            end
         end
         alive(keep, t, source)
         return t
      end
   end
end

gather.index_copy = index_put {
   move = 'scatter',
   view = function(T) return T.tensor_methods.copy end,
   statement = function(T) return 'C.t7_memmove(to, from, inner * ' .. T.size .. ')' end,
}

gather.index_add = index_put {
   move = 'add',
   view = function(T)
      local add = elementwise.map('indexAdd', T, { 'z = add x y' }, 'r t t')
      return function(to, from) add(to, to, from) end
   end,
   statement = function(T)
      return T.name ~= 'Half' and ('add(to, SIZE, from, SIZE, to, SIZE, inner)'):gsub('SIZE', T.size)
   end,
}

function gather.index_fill(name, T)
   local move, one, set = index_rows(name, T, 'scatter'), native.buffer(T.c, 1), element.setter(T)
   return function(t, dim, list, value)
      local d, indices, count, keep = read_indices(name, t, dim, list, t)
      local outer, inner = 1, 0
      if move and contiguous(t) then outer, inner = slice_layout(t, d) end
      if inner == 1 then
         set(one, 0, value)
         move(one, 0, 0, t._memory._data + t._offset, t._size[d], 0, indices, 0, 1, count, outer)
      else
         finish_trace()
         for k = 0, count - 1 do T.fill(position_view(T, t, d, indices[k]), value) end
      end
      alive(keep, t)
      return t
   end
end

return gather

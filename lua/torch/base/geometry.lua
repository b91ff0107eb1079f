-- Sizes, strides and layouts of tensors, without element types or memory. Hot functions are unrolled for few
-- dimensions: a loop in them would keep the loop around them from being compiled as one trace.

local ffi = require 'ffi'
local dialect, finish_trace = require 'torch.base.dialect', require('torch.jit.trace').finish

local geometry = {}

-- Larger counts of elements are not exact.
geometry.MAX_ELEMENTS = 2 ^ 53

local buffer_ct = ffi.typeof 'double[?]'
-- Tensors with more than four dimensions have their sizes and strides in a separate buffer.
local buffers = setmetatable({}, { __mode = 'k' })

-- Layouts: a number for each list of up to four sizes that are not very large. A tensor has one in `_layout` and its
-- number of elements in `_count` if its strides are those of `set_contiguous` and its memory is not that of an array
-- or a file, which may be aliased: small operations compare one number. 0 is unknown. Code that changes sizes or
-- strides updates it.
local MATRIX, RANK3, RANK4 = 2 ^ 49, 2 ^ 50, 2 ^ 51
local MAX_SIZE_1D, MAX_SIZE_2D, MAX_SIZE_3D, MAX_SIZE_4D = 2 ^ 48, 2 ^ 24, 2 ^ 16, 2 ^ 12

function geometry.vector_layout(n) return n < MAX_SIZE_1D and n or 0 end
function geometry.matrix_layout(a, b)
   return a < MAX_SIZE_2D and b < MAX_SIZE_2D and MATRIX + a * MAX_SIZE_2D + b or 0
end
local vector_layout, matrix_layout = geometry.vector_layout, geometry.matrix_layout
-- Layouts of one dimension are below the first of these, those of two dimensions below the second.
geometry.MATRIX, geometry.RANK3 = MATRIX, RANK3

local function rank3_layout(a, b, c)
   return a < MAX_SIZE_3D and b < MAX_SIZE_3D and c < MAX_SIZE_3D
      and RANK3 + (a * MAX_SIZE_3D + b) * MAX_SIZE_3D + c or 0
end

local function rank4_layout(a, b, c, d)
   return a < MAX_SIZE_4D and b < MAX_SIZE_4D and c < MAX_SIZE_4D and d < MAX_SIZE_4D
      and RANK4 + ((a * MAX_SIZE_4D + b) * MAX_SIZE_4D + c) * MAX_SIZE_4D + d or 0
end

-- Reserves space for `dim` dimensions; sizes and strides are lost.
function geometry.set_dim(t, dim)
   if dim > 4 then
      local buffer = buffer_ct(2 * dim)
      buffers[t] = buffer
      t._size, t._stride = buffer, buffer + dim
   else
      t._size, t._stride = t._inline, t._inline + 4
   end
   t._dim, t._layout = dim, 0
end

function geometry.numel(t)
   if t._layout > 0 then return t._count end
   local dim, size = t._dim, t._size
   if dim == 2 then return size[0] * size[1] end
   if dim == 1 then return size[0] end
   if dim == 0 then return 0 end
   if dim == 3 then return size[0] * size[1] * size[2] end
   local n = size[0] * size[1] * size[2] * size[3]
   if dim > 4 then
      finish_trace()
      for d = 4, dim - 1 do n = n * size[d] end
   end
   return n
end

local function contiguous_from(t, last, n)
   local size, stride = t._size, t._stride
   if last <= 1 then
      if last == 1 and size[1] ~= 1 then
         if stride[1] ~= n then return false end
         n = n * size[1]
      end
      return stride[0] == n or size[0] == 1
   end
   finish_trace()
   for d = last, 0, -1 do
      if size[d] ~= 1 then
         if stride[d] ~= n then return false end
         n = n * size[d]
      end
   end
   return true
end

-- Tells whether a tensor is contiguous. Dimensions of size 1 do not count.
function geometry.contiguous(t)
   if t._layout > 0 then return true end
   local dim, size, stride = t._dim, t._size, t._stride
   if dim == 1 then return stride[0] == 1 or size[0] == 1 end
   if dim == 0 then return true end
   local n = 1
   if size[dim - 1] ~= 1 then
      if stride[dim - 1] ~= 1 then return false end
      n = size[dim - 1]
   end
   if size[dim - 2] ~= 1 then
      if stride[dim - 2] ~= n then return false end
      n = n * size[dim - 2]
   end
   return dim == 2 or contiguous_from(t, dim - 3, n)
end

function geometry.same_size(a, b)
   if a._layout > 0 and a._layout == b._layout then return true end
   local dim, p, q = a._dim, a._size, b._size
   if dim ~= b._dim then return false end
   if dim == 0 then return true end
   if p[0] ~= q[0] then return false end
   if dim == 1 then return true end
   if p[1] ~= q[1] then return false end
   if dim == 2 then return true end
   if p[2] ~= q[2] then return false end
   if dim == 3 then return true end
   if p[3] ~= q[3] then return false end
   for d = 4, dim - 1 do
      if p[d] ~= q[d] then return false end
   end
   return true
end

-- Tells whether two tensors with as many dimensions have the same strides.
function geometry.same_strides(a, b)
   for d = 0, a._dim - 1 do
      if a._stride[d] ~= b._stride[d] then return false end
   end
   return true
end

-- Tells whether two tensors view the same elements in the same order.
function geometry.same_view(a, b)
   return a._memory == b._memory and a._offset == b._offset and geometry.same_size(a, b)
      and geometry.same_strides(a, b)
end

-- Gives t the sizes and strides of s, but not its layout: callers change them.
function geometry.copy(t, s)
   local dim = s._dim
   if dim <= 4 and t._dim <= 4 then
      t._dim, t._layout = dim, 0
      local size, stride, p, q = t._size, t._stride, s._size, s._stride
      size[0], size[1], size[2], size[3] = p[0], p[1], p[2], p[3]
      stride[0], stride[1], stride[2], stride[3] = q[0], q[1], q[2], q[3]
      return
   end
   local p, q = s._size, s._stride
   local keep = buffers[s]        -- t may be s
   geometry.set_dim(t, dim)
   for d = 0, dim - 1 do
      t._size[d], t._stride[d] = p[d], q[d]
   end
   return keep
end

-- Fills in the strides of a contiguous tensor of t's sizes, for memory that only t uses, and its layout.
function geometry.set_contiguous(t)
   local dim, size, stride = t._dim, t._size, t._stride
   if dim == 2 then
      local a, b = size[0], size[1]
      stride[1], stride[0] = 1, b
      t._layout, t._count = matrix_layout(a, b), a * b
   elseif dim == 1 then
      stride[0] = 1
      t._layout, t._count = vector_layout(size[0]), size[0]
   elseif dim == 3 then
      local a, b, c = size[0], size[1], size[2]
      stride[2], stride[1], stride[0] = 1, c, c * b
      t._layout, t._count = rank3_layout(a, b, c), a * b * c
   elseif dim == 4 then
      local a, b, c, d = size[0], size[1], size[2], size[3]
      stride[3], stride[2], stride[1], stride[0] = 1, d, d * c, d * c * b
      t._layout, t._count = rank4_layout(a, b, c, d), a * b * c * d
   else
      t._layout = 0
      local n = 1
      for d = dim - 1, 0, -1 do
         stride[d] = n
         n = n * size[d]
      end
   end
end

-- True if tensors are column-major, which the dialect decides when this file is loaded.
geometry.columns = dialect.name == 'torch5'

-- Resolves a negative dimension of `dims`, counted from the last one; nil if out of range, and in torch5.
function geometry.from_last(d, dims)
   if d <= -1 and d >= -dims and not geometry.columns then return d + dims + 1 end
end

-- Memory of arrays and files, and views into it, have this flag, see buffers.lua.
local FIXED = 2

-- Fills in the strides of a tensor with given sizes, in any memory.
function geometry.set_strides(t)
   geometry.set_contiguous(t)
   if t._memory ~= nil and t._memory._flags == FIXED then t._layout = 0 end
end

-- Tells whether a tensor has those strides.
geometry.is_contiguous = geometry.contiguous

if geometry.columns then
   function geometry.set_strides(t)
      local n = 1
      t._layout = 0
      for d = 0, t._dim - 1 do
         t._stride[d] = n
         n = n * t._size[d]
      end
   end

   function geometry.is_contiguous(t)
      local n = 1
      for d = 0, t._dim - 1 do
         if t._size[d] ~= 1 and t._stride[d] ~= n then return false end
         n = n * t._size[d]
      end
      return true
   end
end

-- The number of elements of memory, from its offset on, that a tensor spans; 0 without dimensions.
function geometry.extent(t)
   local dim, size, stride = t._dim, t._size, t._stride
   if dim == 0 then return 0 end
   local n = 1 + (size[0] - 1) * stride[0]
   if dim == 1 then return n end
   n = n + (size[1] - 1) * stride[1]
   if dim == 2 then return n end
   n = n + (size[2] - 1) * stride[2]
   if dim == 3 then return n end
   n = n + (size[3] - 1) * stride[3]
   if dim > 4 then finish_trace() end
   for d = 4, dim - 1 do n = n + (size[d] - 1) * stride[d] end
   return n
end

-- Tells whether no two elements of t share memory: each stride passes the extent of the dimensions with smaller ones.
-- False for strides that leave gaps in which the others fit.
function geometry.are_distinct(t)
   local dim, size, stride = t._dim, t._size, t._stride
   if dim == 0 then return true end
   local m, s = size[0], stride[0]
   if dim == 1 then return m == 1 or s > 0 end
   if dim == 2 then
      local n, r = size[1], stride[1]
      if m == 1 then return n == 1 or r > 0 end
      if n == 1 then return s > 0 end
      return r > 0 and s > (n - 1) * r or s > 0 and r > (m - 1) * s
   end
   finish_trace()
   for d = 0, dim - 1 do
      local extent = 1
      for k = 0, dim - 1 do
         local is_inner = stride[k] < stride[d] or stride[k] == stride[d] and k > d
         if is_inner then extent = extent + (size[k] - 1) * stride[k] end
      end
      if size[d] > 1 and stride[d] < extent then return false end
   end
   return true
end

-- Tells whether tensors with these offsets interleave in memory, as slices of the columns of a matrix do.
local function interleaved(r, t, a, b)
   local step = r._stride[0]
   if step == 0 or t._stride[0] ~= step then return false end
   local r_end = a % step + geometry.extent(r) - (r._size[0] - 1) * step
   local t_end = b % step + geometry.extent(t) - (t._size[0] - 1) * step
   return r_end <= step and t_end <= step and (r_end <= b % step or t_end <= a % step)
end

-- The offsets of two tensors in the memory of the first.
local function offsets(r, t)
   local a, b = r._offset, t._offset
   if r._memory ~= t._memory then b = a + ((t._memory._data + b) - (r._memory._data + a)) end
   return a, b
end

-- Tells whether two tensors with elements in the same memory have none in common; false for some that have none.
function geometry.disjoint(r, t)
   local a, b = offsets(r, t)
   return a >= b + geometry.extent(t) or b >= a + geometry.extent(r) or interleaved(r, t, a, b)
end

-- Tells whether writing r element by element may change elements of t, in the same memory, before they are read.
function geometry.overlap(r, t)
   local a, b = offsets(r, t)
   if a == b and geometry.same_size(r, t) and geometry.same_strides(r, t) then return false end
   if a == b and geometry.contiguous(r) and geometry.contiguous(t) then return false end
   return not geometry.disjoint(r, t)
end

-- "2x3x4" for messages and footers; '' without dimensions.
function geometry.shape(t)
   finish_trace()
   local parts = {}
   for d = 0, t._dim - 1 do parts[d + 1] = string.format('%.0f', t._size[d]) end
   return table.concat(parts, 'x')
end

return geometry

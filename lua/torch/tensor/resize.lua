-- Setting the sizes and strides of a tensor, and allocating the memory they need. Specialised per type.

return function(T)

local errors, geometry = require 'torch.base.errors', require 'torch.base.geometry'
local buffers, sizes = require 'torch.memory.buffers', require 'torch.tensor.sizes'
local columns, numel, extent, set_strides = geometry.columns, geometry.numel, geometry.extent, geometry.set_strides
local matrix_layout = geometry.matrix_layout
local same_size, set_contiguous, set_dim = geometry.same_size, geometry.set_contiguous, geometry.set_dim
local MAX_BYTES, MAX_ELEMENTS, huge = buffers.MAX_BYTES, geometry.MAX_ELEMENTS, math.huge
local name, new, new_owner, size_of = T.tensor_name, T.new_tensor, T.new_owner, T.size
local anchor_tensor, requested = buffers.anchor_tensor, sizes.requested

-- Ensures memory for `needed` elements before the sizes of `t` change: after an error the tensor is unchanged.
local function ensure(t, needed)
   if t._memory == nil then
      local owner = buffers.new(T, needed)
      anchor_tensor(t, owner)
      t._memory = owner._header
   elseif needed > t._memory._size then
      buffers.resize(buffers.owner(t), T, needed)
   end
end

-- Gives `t` the sizes of `like`; strides are kept if t already has these sizes.
function T.resize_as(t, like)
   if same_size(t, like) then return t end
   local n = numel(like)
   if n > 0 then ensure(t, t._offset + n) end
   geometry.copy(t, like)
   set_strides(t)
   return t
end

local function check_reach(reach, count)
   if not (reach * size_of <= MAX_BYTES) then
      errors.raise('%s: not enough memory for elements that reach over %.0f positions', name,
         reach == reach and reach or huge)
   end
   if not (count <= MAX_ELEMENTS) then errors.raise('%s: there can be at most 2^53 elements (got %g)', name, count) end
end

-- Gives `t` the first `dim` requested sizes and strides, up to the first size that is not positive. A negative stride
-- is computed so that the tensor is contiguous. If the sizes are unchanged, so are the strides.
local function set_requested(t, dim)
   local size, stride = requested.size, requested.stride
   local used = 0
   while used < dim and size[used] > 0 do used = used + 1 end
   local same = used == t._dim
   for d = 0, used - 1 do
      if same and not (size[d] == t._size[d] and (stride[d] < 0 or stride[d] == t._stride[d])) then same = false end
   end
   if same then
      if used > 0 then ensure(t, t._offset + extent(t)) end
      return t
   end
   local reach, contiguous_stride, count = 1, 1, 1
   for d = columns and 0 or used - 1, columns and used - 1 or 0, columns and 1 or -1 do
      if stride[d] < 0 then stride[d] = contiguous_stride end
      contiguous_stride = size[d] * stride[d]
      reach = reach + (size[d] - 1) * stride[d]
      count = count * size[d]
   end
   check_reach(reach + t._offset, count)
   if used > 0 then ensure(t, t._offset + reach) end
   set_dim(t, used)
   for d = 0, used - 1 do t._size[d], t._stride[d] = size[d], stride[d] end
   return t
end

-- The number of four sizes before the first that is not positive.
local function used_of(a, b, c, d)
   if not (a > 0) then return 0 end
   if not (b > 0) then return 1 end
   if not (c > 0) then return 2 end
   return d > 0 and 4 or 3
end

-- The number of elements of the first `used` of four sizes.
local function numel_of_four(used, a, b, c, d)
   return used == 0 and 0 or a * (used >= 2 and b or 1) * (used >= 3 and c or 1) * (used >= 4 and d or 1)
end

-- Gives `t` up to four sizes a, b, c, d and strides p, q, r, s, without a loop; the rest of the sizes are 0.
local function set_four(t, a, b, c, d, p, q, r, s)
   local used, size, stride = used_of(a, b, c, d), t._size, t._stride
   if used == t._dim and (used < 1 or a == size[0] and (p < 0 or p == stride[0]))
      and (used < 2 or b == size[1] and (q < 0 or q == stride[1]))
      and (used < 3 or c == size[2] and (r < 0 or r == stride[2]))
      and (used < 4 or d == size[3] and (s < 0 or s == stride[3])) then
      if used > 0 then ensure(t, t._offset + extent(t)) end
      return t
   end
   local is_plain = used > 0 and p < 0 and (used < 2 or q < 0) and (used < 3 or r < 0) and (used < 4 or s < 0)
   local reach, n = 1, 1
   if used >= 4 then
      if s < 0 then s = n end
      n, reach = d * s, reach + (d - 1) * s
   end
   if used >= 3 then
      if r < 0 then r = n end
      n, reach = c * r, reach + (c - 1) * r
   end
   if used >= 2 then
      if q < 0 then q = n end
      n, reach = b * q, reach + (b - 1) * q
   end
   if used >= 1 then
      if p < 0 then p = n end
      reach = reach + (a - 1) * p
   end
   check_reach(reach + t._offset, numel_of_four(used, a, b, c, d))
   if used > 0 then ensure(t, t._offset + reach) end
   set_dim(t, used)
   size, stride = t._size, t._stride
   if used >= 1 then size[0], stride[0] = a, p end
   if used >= 2 then size[1], stride[1] = b, q end
   if used >= 3 then size[2], stride[2] = c, r end
   if used >= 4 then size[3], stride[3] = d, s end
   if is_plain then set_strides(t) end
   return t
end

T.set_four = set_four

-- Gives `t` the first `dim` requested sizes and strides.
function T.set_sizes(t, dim)
   if dim > 4 or columns then return set_requested(t, dim) end
   local size, stride = requested.size, requested.stride
   return set_four(t, dim >= 1 and size[0] or 0, dim >= 2 and size[1] or 0, dim >= 3 and size[2] or 0,
      dim >= 4 and size[3] or 0, stride[0], stride[1], stride[2], stride[3])
end

function T.resize_to(t, list)
   local dim = #list
   if dim <= 4 and not columns then
      return set_four(t, list[1] or 0, list[2] or 0, list[3] or 0, list[4] or 0, -1, -1, -1, -1)
   end
   return set_requested(t, sizes.request(list))
end

-- A tensor of up to four sizes: `t`, resized, or a new one, uninitialized.
function T.resized(t, a, b, c, d)
   if columns then return T.resize_to(t or new(), { a, b, c, d }) end
   b, c, d = b or 0, c or 0, d or 0
   if t then return set_four(t, a, b, c, d, -1, -1, -1, -1) end
   local used = used_of(a, b, c, d)
   local n = numel_of_four(used, a, b, c, d)
   if n == 0 then return new() end
   check_reach(n, n)
   t = new_owner(n)
   t._dim = used
   local size = t._size
   size[0], size[1], size[2], size[3] = a, b, c, d
   set_contiguous(t)
   return t
end

-- A new matrix with two sizes above 0, uninitialized.
function T.new_matrix(a, b)
   local layout = matrix_layout(a, b)
   if layout == 0 then return T.resized(nil, a, b) end
   local t = new_owner(a * b)
   local size, stride = t._inline, t._inline + 4
   t._dim, t._layout, t._count = 2, layout, a * b
   size[0], size[1], stride[0], stride[1] = a, b, b, 1
   return t
end

end

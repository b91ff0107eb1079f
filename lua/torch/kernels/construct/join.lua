-- torch.cat and torch.stack.

local max = math.max
local parallel_copy, errors = require 'torch.parallel.parallel_copy', require 'torch.base.errors'
local geometry, buffers = require 'torch.base.geometry', require 'torch.memory.buffers'
local contiguous, numel, shape = geometry.contiguous, geometry.numel, geometry.shape
local istype = require('ffi').istype

local join = {}

-- Vectors count as having their one size in dimension 1 and 1 in the others; empty tensors are left out.
local function size_of(t, d) return d <= t._dim and t._size[d - 1] or 1 end

-- Tells whether two parts have the same sizes but for dimension `dim`. Unrolled for matrices.
local function fits(first, part, dim, dims)
   if dim ~= 1 and size_of(first, 1) ~= size_of(part, 1) then return false end
   if dims == 1 then return true end
   if dim ~= 2 and size_of(first, 2) ~= size_of(part, 2) then return false end
   for d = 3, dims do
      if d ~= dim and size_of(first, d) ~= size_of(part, d) then return false end
   end
   return true
end

local function joined_sizes(parts, dim, dims)
   local first, total = parts[1], 0
   for i = 1, #parts do
      local part = parts[i]
      if not fits(first, part, dim, dims) then
         errors.raise('cat: inconsistent tensor sizes along dimension %.0f: [%s] and [%s]', dim, shape(first),
            shape(part))
      end
      total = total + size_of(part, dim)
   end
   local joined = {}
   for d = 1, dims do joined[d] = d == dim and total or size_of(first, d) end
   return joined
end

-- The tensors of a list that are not empty, copied where they share memory with r, and the largest number of
-- dimensions. The list is read only once, since its metamethods may return other values the second time.
local function parts_of(name, T, r, list)
   local tensor_ct, parts, max_dim = T.tensor_ct, {}, 0
   for i = 1, #list do
      local part = list[i]
      if not istype(tensor_ct, part) then
         errors.raise('%s: tensor %d must be a %s (got %s)', name, i, T.tensor_name, errors.describe(part))
      end
      if part._dim > max_dim then max_dim = part._dim end
      if part._dim > 0 then parts[#parts + 1] = r and T.shares(r, part) and T.clone(part) or part end
   end
   return parts, max_dim
end

-- Puts a part of n indices at a position of dimension d of r, before which there are `before` elements. A view of r
-- would keep its block for longer.
local function put(T, r, part, d, position, n, before)
   if not (contiguous(r) and contiguous(part)) then
      T.copy_from(T.narrow_view(r, d, position, n), T, part)
      return
   end
   local row, run = numel(r) / before, numel(part) / before
   local to, from = r._memory._data + (r._offset + position * (row / r._size[d])), part._memory._data + part._offset
   if before == 1 then
      parallel_copy.move(to, from, run * T.size)
   else
      parallel_copy.matrix(T, to, 1, row, T, from, 1, run, run, before)
   end
   buffers.keep_alive(r, part)
end

-- Puts the parts into r along `dim`.
local function put_parts(T, r, parts, dim, before)
   local position = 0
   for i = 1, #parts do
      local n = size_of(parts[i], dim)
      put(T, r, parts[i], dim - 1, position, n, before)
      position = position + n
   end
end

local MAX_DIMENSIONS = 1000

local function cat(T, r, list, dim)
   local parts, max_dim = parts_of('cat', T, r, list)
   if #list == 0 then errors.argument('cat', 1, 'must be a table of at least one tensor') end
   dim = dim and dim ~= -1 and errors.integer('cat', 3, dim) or max_dim > 0 and max_dim or 1
   if dim < 0 then dim = geometry.from_last(dim, max_dim) or dim end
   if not (dim >= 1 and dim <= MAX_DIMENSIONS) then
      errors.raise('cat: dimension %.0f out of range 1 to %d', dim, MAX_DIMENSIONS)
   end
   if #parts == 0 then return r or T.new_tensor() end
   local joined = joined_sizes(parts, dim, max(max_dim, dim))
   r = r or T.new_tensor()
   T.resize_to(r, joined)
   local before = 1
   for d = 1, dim - 1 do before = before * joined[d] end
   put_parts(T, r, parts, dim, before)
   return r
end

-- Two tensors with the same number of dimensions, up to three, without a loop; nil for other cases.
local function join_two(T, r, first, second, dim)
   local dims, a, b = first._dim, first._size, second._size
   dim = (dim == nil or dim == -1) and dims or dim
   if dims ~= second._dim or dims > 3 or not (dim == 1 or dim == 2 or dim == 3) or dim > dims
      or dim ~= 1 and a[0] ~= b[0] or dims >= 2 and dim ~= 2 and a[1] ~= b[1] or dims == 3 and dim ~= 3 and a[2] ~= b[2]
      or r and (T.shares(r, first) or T.shares(r, second)) then
      return nil
   end
   local d = dim - 1
   local from, more = a[d], b[d]
   r = T.resized(r, dim == 1 and a[0] + more or a[0], dims >= 2 and (dim == 2 and a[1] + more or a[1]) or nil,
      dims == 3 and (dim == 3 and a[2] + more or a[2]) or nil)
   local before = d == 0 and 1 or d == 1 and a[0] or a[0] * a[1]
   put(T, r, first, d, 0, from, before)
   put(T, r, second, d, from, more, before)
   return r
end

function join.cat_two(_, T)
   return function(r, first, second, dim)
      return join_two(T, r, first, second, dim) or cat(T, r, { first, second }, dim)
   end
end

function join.cat_list(_, T)
   local tensor_ct = T.tensor_ct
   return function(r, list, dim)
      local first, second = list[1], list[2]
      return #list == 2 and istype(tensor_ct, first) and istype(tensor_ct, second)
         and join_two(T, r, first, second, dim) or cat(T, r, list, dim)
   end
end

local function stack(T, r, list, dim)
   local parts = parts_of('stack', T, r, list)
   local first = parts[1]
   if not first or #parts < #list then errors.argument('stack', 1, 'must hold tensors with elements') end
   local at = errors.integer('stack', 2, dim)
   at = geometry.from_last(at, first._dim + 1) or at
   if at < 1 or at > first._dim + 1 then
      errors.raise('stack: position %.0f out of range 1 to %.0f for tensors [%s]', at, first._dim + 1, shape(first))
   end
   for i = 1, #parts do
      if not geometry.same_size(first, parts[i]) then
         errors.raise('stack: inconsistent tensor sizes: [%s] and [%s]', shape(first), shape(parts[i]))
      end
      parts[i] = T.tensor_methods.unsqueeze(parts[i], at)
   end
   return cat(T, r, parts, at)
end

function join.stack_two(_, T)
   return function(r, first, second, dim) return stack(T, r, { first, second }, dim) end
end

function join.stack_list(_, T)
   return function(r, list, dim) return stack(T, r, list, dim) end
end

return join

-- Copies with other sizes: repeatTensor and reshape. Specialised per type.

return function(T) return function(methods)

local select, type = select, type
local concat = table.concat
local ffi = require 'ffi'
local errors, geometry = require 'torch.base.errors', require 'torch.base.geometry'
local sizes, types = require 'torch.tensor.sizes', require 'torch.base.types'
local istype = ffi.istype
local are_sizes, tensor_ct = sizes.are_sizes, T.tensor_ct
local alias, check_self, clone, copy_from = T.alias, T.check_self, T.clone, T.copy_from
local numel, shape, set_dim = geometry.numel, geometry.shape, geometry.set_dim
local raise = errors.raise

local kept

-- A tensor without sizes that views the memory of r for one copy. A new view of r would keep its block alive for
-- longer.
local function look_at(r)
   kept = kept or T.new_tensor()
   kept._memory, kept._offset = r._memory, r._offset
   return kept
end

-- r:repeatTensor(x, n1, n2, ...): x repeated n1 x n2 x ... times in new memory.
local function repeat_into(r, t, times)
   local extra = #times - t._dim
   if t._dim == 0 then raise('repeatTensor: cannot repeat an empty tensor') end
   if extra < 0 then
      raise('repeatTensor: there must be a repeat for each dimension of tensor [%s] (got %d)', shape(t), #times)
   end
   -- Viewed as (times, size) pairs of dimensions, both sides have the same number of elements.
   local list, pairs_of = {}, {}
   for k = 1, #times do
      if times[k] < 1 then raise('repeatTensor: repeat %d must be at least 1 (got %.0f)', k, times[k]) end
      local size = k > extra and t._size[k - extra - 1] or 1
      list[k] = times[k] * size
      pairs_of[2 * k - 1], pairs_of[2 * k] = times[k], size
   end
   local source = t
   if r and T.shares(r, t) then source = clone(t) end
   r = r or T.new_tensor()
   T.resize_to(r, list)
   local from, to = alias(source), look_at(r)
   set_dim(from, 2 * #times)
   set_dim(to, 2 * #times)
   for k = 1, #times do
      local d = k - extra - 1
      local stride = d >= 0 and source._stride[d] or 0
      from._size[2 * k - 2], from._stride[2 * k - 2] = times[k], 0
      from._size[2 * k - 1], from._stride[2 * k - 1] = pairs_of[2 * k], stride
      to._size[2 * k - 2], to._stride[2 * k - 2] = times[k], pairs_of[2 * k] * r._stride[k - 1]
      to._size[2 * k - 1], to._stride[2 * k - 1] = pairs_of[2 * k], r._stride[k - 1]
   end
   copy_from(to, T, from)
   return r
end

local function reshape_four(v, a, b, c, d, p, q, r, s)
   set_dim(v, 4)
   local size, stride = v._size, v._stride
   size[0], size[1], size[2], size[3] = a, b, c, d
   stride[0], stride[1], stride[2], stride[3] = p, q, r, s
end

-- Repeats a vector or a matrix into one new matrix, without a loop.
local function repeat_matrix(t, n1, n2)
   local is_matrix, last = t._dim == 2, t._dim - 1
   local rows, columns = is_matrix and t._size[0] or 1, t._size[last]
   local r = T.resized(nil, n1 * rows, n2 * columns)
   local from, to = alias(t), look_at(r)
   reshape_four(from, n1, rows, n2, columns, 0, is_matrix and t._stride[0] or 0, 0, t._stride[last])
   reshape_four(to, n1, rows, n2, columns, rows * r._stride[0], r._stride[0], columns * r._stride[1], r._stride[1])
   copy_from(to, T, from)
   return r
end

-- A given result may be of another type than the tensor.
function methods.repeatTensor(first, second, ...)
   check_self(first, 'repeatTensor')
   local b = ...
   if select('#', ...) == 1 and type(b) == 'number' and are_sizes(second, b)
      and (first._dim == 1 or first._dim == 2) then
      return repeat_matrix(first, second, b)
   end
   sizes.reject_strings('repeatTensor', 1, second, ...)
   if istype(tensor_ct, second) then return repeat_into(first, second, sizes.list('repeatTensor', 2, ...)) end
   local S = types.of_tensor(second)
   if S then
      return repeat_into(first, S.tensor_methods.typeAs(second, first), sizes.list('repeatTensor', 2, ...))
   end
   return repeat_into(nil, first, sizes.list('repeatTensor', 1, second, ...))
end

-- x:reshape(sizes), r:reshape(x, sizes): a copy of the elements in other sizes, row by row.
function methods.reshape(first, second, ...)
   check_self(first, 'reshape')
   local b, c, d, e = ...
   if are_sizes(second, b, c, d, e) and second * (b or 1) * (c or 1) * (d or 1) == numel(first) then
      local r = T.resized(nil, second, b, c, d)
      copy_from(r, T, first)
      return r
   end
   local r, t, list
   if istype(tensor_ct, second) then r, t, list = first, second, sizes.sole_list('reshape', 2, ...)
   else t, list = first, sizes.sole_list('reshape', 1, second, ...) end
   local total, n = #list > 0 and 1 or 0, numel(t)
   if n > 0 and not geometry.columns and string.find(' ' .. concat(list, ' ') .. ' ', ' -1 ', 1, true) then
      total = sizes.complete('reshape', list, n)
   else
      -- Sizes end before the first that is not positive: then there would be no elements to copy to.
      for k = 1, #list do total = total * (list[k] < 1 and 0 or list[k]) end
   end
   if total ~= n then
      raise('reshape: wrong size: tensor [%s] of %.0f elements as [%s]', shape(t), n, concat(list, 'x'))
   end
   if r and T.shares(r, t) then t = clone(t) end
   r = r or T.new_tensor()
   T.resize_to(r, list)
   if n > 0 then copy_from(r, T, t) end
   return r
end

end end

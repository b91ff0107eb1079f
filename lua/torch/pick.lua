-- Kernels that pick elements by index tensors and masks. Indices count from 1 and are checked before use.

local require, tonumber = require, tonumber
local element, errors, geometry = require 'torch.element', require 'torch.errors', require 'torch.geometry'
local memory, plan, types = require 'torch.memory', require 'torch.plan', require 'torch.types'
local reduce = require 'torch.reduce'
local contiguous, count_of, shape = geometry.contiguous, geometry.count, geometry.shape
local dimension_of, alive = reduce.dimension_of, memory.alive
local Long, Byte = types.by_name.Long, types.by_name.Byte

local pick = {}

-- The dimension (from 0) and the indices of a call: a pointer to them, contiguous, and their number.
local function indices(name, t, dim, list)
   local d = dimension_of(name, t, dim)
   if list._dim ~= 1 then
      errors.argument(name, 2, 'vector of indices expected, got LongTensor [%s]', shape(list))
   end
   list = Long.tensor_methods.contiguous(list)
   local places, size = list._memory._data + list._offset, t._size[d]
   for k = 0, list._size[0] - 1 do
      local i = tonumber(places[k])
      if not (i >= 1 and i <= size) then
         errors.argument(name, 2, 'index %.0f out of range 1 to %.0f of dimension %.0f of tensor [%s]', i, size, d + 1,
            shape(t))
      end
   end
   -- The caller keeps the list alive as long as it uses the pointer.
   return d, places, list._size[0], list
end

local function position_view(T, t, d, i)
   return T.narrow_view(t, d, tonumber(i) - 1, 1)
end

local function index(_, T)
   return function(r, t, dim, list)
      local d, places, count, keep = indices('index', t, dim, list)
      local like = T.alias(t)
      like._size[d] = count
      if r and T.shares(r, t) then t = T.clone(t) end
      r = r and T.resize_as(r, like) or T.new_like(like)
      if t._dim == 1 then
         local to, from = r._memory._data + r._offset, t._memory._data + t._offset
         local r_step, t_step = r._stride[0], t._stride[0]
         for k = 0, count - 1 do to[k * r_step] = from[tonumber(places[k] - 1) * t_step] end
      elseif d == 0 and contiguous(r) and contiguous(t) then
         local row = count_of(t) / t._size[0]
         local to, from = r._memory._data + r._offset, t._memory._data + t._offset
         for k = 0, count - 1 do
            element.copy(T, to + k * row, 1, T, from + tonumber(places[k] - 1) * row, 1, row)
         end
      else
         for k = 0, count - 1 do
            T.copy_from(T.narrow_view(r, d, k, 1), T, position_view(T, t, d, places[k]))
         end
      end
      alive(keep, t)
      return r
   end
end
pick.index = index

function pick.index_new(name, T)
   local kernel = index(name, T)
   return function(t, dim, list) return kernel(nil, t, dim, list) end
end

-- The source of indexCopy and indexAdd has t's sizes, but for dimension d as many as there are indices.
local function check_source(name, t, d, count, source)
   local fits = source._dim == t._dim and source._size[d] == count
   for k = 0, t._dim - 1 do
      fits = fits and (k == d or source._size[k] == t._size[k])
   end
   if not fits then
      errors.argument(name, 3, 'source [%s] does not fit: %.0f indices along dimension %.0f of tensor [%s]',
         shape(source), count, d + 1, shape(t))
   end
end

function pick.index_copy(name, T)
   return function(t, dim, list, source)
      local d, places, count, keep = indices(name, t, dim, list)
      check_source(name, t, d, count, source)
      if T.shares(t, source) then source = T.clone(source) end
      for k = 0, count - 1 do
         T.copy_from(position_view(T, t, d, places[k]), T, T.narrow_view(source, d, k, 1))
      end
      alive(keep)
      return t
   end
end

function pick.index_add(name, T)
   return function(t, dim, list, source)
      local d, places, count, keep = indices(name, t, dim, list)
      check_source(name, t, d, count, source)
      if T.shares(t, source) then source = T.clone(source) end
      local add = T.tensor_methods.add
      for k = 0, count - 1 do
         add(position_view(T, t, d, places[k]), T.narrow_view(source, d, k, 1))
      end
      alive(keep)
      return t
   end
end

function pick.index_fill(name, T)
   return function(t, dim, list, value)
      local d, places, count, keep = indices(name, t, dim, list)
      for k = 0, count - 1 do T.fill(position_view(T, t, d, places[k]), value) end
      alive(keep)
      return t
   end
end

-- Calls visit(offset, k) for each element of `index`, in order: where the run along d that it belongs to
-- starts in t, for tensors whose other dimensions are at least those of index.
local function each_place(name, t, d, index, visit)
   if index._dim ~= t._dim then
      errors.argument(name, 2, 'LongTensor of %.0f dimensions expected for tensor [%s], got [%s]', t._dim, shape(t),
         shape(index))
   end
   for k = 0, t._dim - 1 do
      if k ~= d and index._size[k] > t._size[k] then
         errors.argument(name, 2, 'indices [%s] reach beyond tensor [%s] in dimension %d', shape(index), shape(t), k + 1)
      end
   end
   local counter, dim = {}, t._dim
   for k = 0, dim - 1 do counter[k] = 0 end
   local offset = 0
   for k = 0, count_of(index) - 1 do
      visit(offset, k)
      local e = dim - 1
      while e >= 0 do
         counter[e] = counter[e] + 1
         if e ~= d then offset = offset + t._stride[e] end
         if counter[e] < index._size[e] then break end
         if e ~= d then offset = offset - counter[e] * t._stride[e] end
         counter[e] = 0
         e = e - 1
      end
   end
end

local function checked(name, places, k, size, t, d)
   local i = tonumber(places[k])
   if not (i >= 1 and i <= size) then
      errors.argument(name, 2, 'index %.0f out of range 1 to %.0f of dimension %.0f of tensor [%s]', i, size, d + 1, shape(t))
   end
   return i - 1
end

function pick.gather(name, T)
   return function(r, t, dim, list)
      local d = dimension_of(name, t, dim)
      if r and not geometry.same_size(r, list) then
         errors.argument(name, 1, 'result of the sizes of the indices [%s] expected, got [%s]', shape(list), shape(r))
      end
      if r and T.shares(r, t) then t = T.clone(t) end
      list = Long.tensor_methods.contiguous(list)
      local result = T.new_like(list)
      if list._dim == 0 then
         errors.argument(name, 2, 'LongTensor of %.0f dimensions expected for tensor [%s], got an empty one', t._dim, shape(t))
      end
      local places, from = list._memory._data + list._offset, t._memory._data + t._offset
      local to, size, stride = result._memory._data, t._size[d], t._stride[d]
      each_place(name, t, d, list, function(offset, k)
         to[k] = from[offset + checked(name, places, k, size, t, d) * stride]
      end)
      if not r then return result end
      T.copy_from(r, T, result)
      return r
   end
end

local function scatter_with(name, T, value_at)
   return function(t, dim, list, source)
      local d = dimension_of(name, t, dim)
      list = Long.tensor_methods.contiguous(list)
      if list._dim == 0 then
         errors.argument(name, 2, 'LongTensor of %.0f dimensions expected for tensor [%s], got an empty one', t._dim, shape(t))
      end
      local places, to = list._memory._data + list._offset, t._memory._data + t._offset
      local size, stride = t._size[d], t._stride[d]
      local read = value_at(T, t, list, source)
      for k = 0, count_of(list) - 1 do checked(name, places, k, size, t, d) end
      each_place(name, t, d, list, function(offset, k)
         to[offset + (tonumber(places[k]) - 1) * stride] = read(k)
      end)
      return t
   end
end

function pick.scatter(name, T)
   return scatter_with(name, T, function(_, t, list, source)
      if source._dim ~= t._dim then
         errors.argument(name, 3, 'source of %.0f dimensions expected, got [%s]', t._dim, shape(source))
      end
      for k = 0, list._dim - 1 do
         if list._size[k] > source._size[k] then
            errors.argument(name, 3, 'source [%s] is smaller than the indices [%s] in dimension %d', shape(source), shape(list), k + 1)
         end
      end
      local part = T.alias(source)
      for k = 0, list._dim - 1 do part._size[k] = list._size[k] end
      local values = T.clone(part)
      return function(k) return values._memory._data[k] end
   end)
end

function pick.scatter_value(name, T)
   return scatter_with(name, T, function(_, _, _, value)
      return function() return value end
   end)
end

-- A mask as a pointer to as many bytes as t has elements, and the number of ones. Values must be 0 or 1.
local function mask_of(name, t, mask, what)
   local n = count_of(t)
   if count_of(mask) ~= n then
      errors.raise('%s: inconsistent tensor sizes: %s [%s] of %.0f elements and mask [%s] of %.0f', name, what, shape(t), n,
         shape(mask), count_of(mask))
   end
   if n == 0 then return nil, 0, mask end
   mask = Byte.tensor_methods.contiguous(mask)
   local bytes, ones = mask._memory._data + mask._offset, 0
   for k = 0, n - 1 do
      local m = bytes[k]
      if m > 1 then errors.raise('%s: mask of 0 and 1 expected, got %d', name, m) end
      ones = ones + m
   end
   return bytes, ones, mask
end

function pick.masked_select(name, T)
   return function(r, t, mask)
      local bytes, ones, keep = mask_of(name, t, mask, 'source')
      local result = T.new_vector(ones)
      if ones > 0 then
         local ordered = T.contiguous(t)
         local from, to, at = ordered._memory._data + ordered._offset, result._memory._data, 0
         for k = 0, count_of(t) - 1 do
            if bytes[k] ~= 0 then
               to[at] = from[k]
               at = at + 1
            end
         end
      end
      alive(keep)
      if not r then return result end
      if T.shares(r, t) or ones == 0 then return T.set_tensor(r, result) end
      T.resize_as(r, result)
      T.copy_from(r, T, result)
      return r
   end
end

local byte_walk = plan.new(2)

-- Calls visit(offset, k) for the elements of t in order where the mask is 1.
local function each_masked(t, bytes, visit)
   local p, k = byte_walk, 0
   plan.prepare(p, 1, t)
   plan.start(p)
   repeat
      local offset, step = p.offset[1], p.step[1][0]
      for _ = 1, p.size[0] do
         if bytes[k] ~= 0 then visit(offset) end
         offset = offset + step
         k = k + 1
      end
   until not plan.next(p, 1)
end

function pick.masked_copy(name, T)
   return function(t, mask, source)
      local bytes, ones, keep = mask_of(name, t, mask, 'tensor')
      if count_of(source) < ones then
         errors.argument(name, 2, 'source [%s] of %.0f elements is too small for %.0f ones in the mask', shape(source),
            count_of(source), ones)
      end
      if ones == 0 then return t end
      source = T.shares(t, source) and T.clone(source) or T.contiguous(source)
      local from, to, at = source._memory._data + source._offset, t._memory._data + t._offset, 0
      each_masked(t, bytes, function(offset)
         to[offset] = from[at]
         at = at + 1
      end)
      alive(keep)
      return t
   end
end

function pick.masked_fill(name, T)
   return function(t, mask, value)
      local bytes, ones, keep = mask_of(name, t, mask, 'tensor')
      if ones == 0 then return t end
      local to = t._memory._data + t._offset
      each_masked(t, bytes, function(offset) to[offset] = value end)
      alive(keep)
      return t
   end
end

function pick.nonzero(_, T)
   return function(r, t)
      local found, n, dim = {}, 0, t._dim
      if dim > 0 then
         local ordered = T.contiguous(t)
         local data = ordered._memory._data + ordered._offset
         for k = 0, count_of(t) - 1 do
            if data[k] ~= 0 then
               n = n + 1
               found[n] = k
            end
         end
      end
      r = r or Long.new_tensor()
      if n == 0 then return Long.tensor_methods.resize(r) end
      Long.resize_to(r, { n, dim })
      local rows = Long.tensor_methods.contiguous(r)
      local to = rows._memory._data + rows._offset
      for i = 1, n do
         local k = found[i]
         for d = dim - 1, 0, -1 do
            local size = t._size[d]
            to[(i - 1) * dim + d] = k % size + 1
            k = (k - k % size) / size
         end
      end
      if rows ~= r then Long.copy_from(r, Long, rows) end
      return r
   end
end

return pick

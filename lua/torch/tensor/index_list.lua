-- Lists of indices, as in x[{2, {1, -1}, '...'}], and the views they select. Specialised per type.

return function(T)

local tonumber, tostring, type = tonumber, tostring, type
local errors, geometry = require 'torch.base.errors', require 'torch.base.geometry'
local FIXED = require('torch.memory.buffers').FIXED
local dialect, warn = require 'torch.base.dialect', require 'torch.base.warn'
local finish_trace = require('torch.jit.trace').finish
local ceil, floor, max, min = math.ceil, math.floor, math.max, math.min
local alias, name = T.alias, T.tensor_name
local set_contiguous, set_dim, shape = geometry.set_contiguous, geometry.set_dim, geometry.shape
local columns, MAX_ELEMENTS = geometry.columns, geometry.MAX_ELEMENTS
local raise, describe = errors.raise, errors.describe

local index_list = {}

-- The 0-based index for `index` in a dimension of `size`: truncated, negative from the end; nil when out of range.
local function position(index, size)
   if index >= 1 then
      index = floor(index)
      if index <= size then return index - 1 end
   elseif index <= -1 then
      index = ceil(index) + size
      if index >= 0 then return index end
   end
end

local function out_of_range(t, index, d)
   if t._dim == 0 then raise('%s: an empty tensor cannot be indexed', name) end
   raise('%s: index %s out of range: dimension %d of tensor [%s] has size %.0f', name, tostring(index), d, shape(t),
      t._size[d - 1])
end

-- The step of a range, which the dialect torch5 does not read.
local function step_of(step, d)
   if type(step) == 'nil' or columns then return 1 end
   local number = tonumber(step)
   if not number then raise('%s: the step of range %d must be a number (got %s)', name, d, describe(step)) end
   if number < 0 then
      raise('%s: negative step %s of range %d: steps go forward, index(dim, positions) takes any order', name,
         tostring(step), d)
   end
   if number < 1 or number % 1 ~= 0 then
      raise('%s: the step of range %d must be a whole number of at least 1 (got %s)', name, d, tostring(step))
   end
   return number
end

-- The bounds of a range {first, last}, {first}, {} of a dimension of `size`, from 0.
local function bounds(t, first, last, d, size)
   if type(first) == 'string' then first = tonumber(first) end
   if type(last) == 'string' then last = tonumber(last) end
   if type(first) == 'nil' and type(last) == 'nil' then return 0, size - 1 end
   local low, high = 0, nil
   if type(first) == 'number' then low = position(first, size)
   elseif type(first) ~= 'nil' then
      raise('%s: the start of range %d must be a number (got %s)', name, d, describe(first))
   end
   if not low then out_of_range(t, first, d) end
   if type(last) == 'number' then
      high = position(last, size)
      if not high then out_of_range(t, last, d) end
   elseif type(last) == 'nil' then high = low
   else raise('%s: the end of range %d must be a number (got %s)', name, d, describe(last)) end
   if high < low then
      raise('%s: range {%s, %s} of dimension %d ends before it starts', name, tostring(first), tostring(last), d)
   end
   return low, high
end

-- Torch7 read a list up to the first index that is neither a number nor a range, as the dialect `th` does.
local function check_end(k, index)
   if dialect.name ~= 'th' then
      raise('%s: index %d must be a number or range (got %s)', name, k + 1, describe(index))
   end
   warn.once('%s: index %d is no number or range (got %s): it and those after it are ignored, as in the original',
      name, k + 1, describe(index))
end

-- Narrows dimension k of the view v of t by a range, or drops it by a number; the next dimension of the result is `to`,
-- at most k. Returns the next `to`, and how many indices count. Reading the list may run code that sets t, but not v.
local function follow_one(t, v, k, list, count, to)
   local size, stride = v._size[k], v._stride[k]
   local index = list[k + 1]
   if k >= count then
      v._size[to], v._stride[to] = size, stride
      return to + 1, count
   end
   if type(index) == 'table' then
      local step = index[3]
      local low, high = bounds(t, index[1], index[2], k + 1, size)
      v._offset = v._offset + low * stride
      if type(step) == 'nil' then
         v._size[to], v._stride[to] = high - low + 1, stride
      else
         step = step_of(step, k + 1)
         v._size[to], v._stride[to] = floor((high - low) / step) + 1, min(step * stride, MAX_ELEMENTS)
      end
      return to + 1, count
   end
   local number = tonumber(index)
   if not number then
      check_end(k, index)
      v._size[to], v._stride[to] = size, stride
      return to + 1, k
   end
   local at = position(number, size)
   if not at then out_of_range(t, index, k + 1) end
   v._offset = v._offset + at * stride
   return to, count
end

local function follow_all(t, v, list, count)
   local to, dim = 0, v._dim
   for k = 0, dim - 1 do
      to, count = follow_one(t, v, k, list, count, to)
   end
   if to > 0 and to < dim then
      local sizes, strides = {}, {}
      for d = 0, to - 1 do sizes[d], strides[d] = v._size[d], v._stride[d] end
      set_dim(v, to)
      for d = 0, to - 1 do v._size[d], v._stride[d] = sizes[d], strides[d] end
   end
   return to
end

-- The list with '...' at index `at` replaced by an {} for each dimension of t that the other entries leave.
local function expand_ellipsis(t, list, at)
   finish_trace()
   local full, count = {}, at - 1
   for k = 1, at - 1 do full[k] = list[k] end
   local rest, k = {}, at + 1
   while true do
      local index = list[k]
      if type(index) == 'nil' then break end
      if index == '...' then raise("%s: '...' stands for all dimensions that are left, it cannot stand twice", name) end
      rest[#rest + 1], k = index, k + 1
   end
   while count + #rest < t._dim do
      count = count + 1
      full[count] = {}
   end
   for i = 1, #rest do full[count + i] = rest[i] end
   return full
end

-- The list of indices with '...' expanded; the first four entries are searched without a loop.
local function expanded(t, list)
   if list[1] == '...' then return expand_ellipsis(t, list, 1) end
   if list[2] == '...' then return expand_ellipsis(t, list, 2) end
   if list[3] == '...' then return expand_ellipsis(t, list, 3) end
   if list[4] == '...' then return expand_ellipsis(t, list, 4) end
   if t._dim > 4 then
      for k = 5, t._dim + 1 do
         if list[k] == '...' then return expand_ellipsis(t, list, k) end
      end
   end
   return list
end

-- The number of indices in a table, up to the first nil; up to four are counted without a loop. Its length also counts
-- those after a nil, which may not be more than dimensions either.
local function count_indices(t, list)
   local count = type(list[1]) == 'nil' and 0 or type(list[2]) == 'nil' and 1 or type(list[3]) == 'nil' and 2
      or type(list[4]) == 'nil' and 3 or 4
   if count == 4 and type(list[5]) ~= 'nil' then
      finish_trace()
      while type(list[count + 1]) ~= 'nil' do count = count + 1 end
   end
   if count > t._dim or #list > t._dim then
      raise('%s: too many indices: %d given for tensor [%s] of %.0f dimensions', name, max(count, #list), shape(t),
         t._dim)
   end
   return count
end

-- Follows a table of numbers and ranges: the view it selects, whether it is a single element, and its offset.
local function follow(t, list)
   local v = alias(t)
   if not columns then list = expanded(v, list) end
   local dim, count, to = v._dim, count_indices(v, list), 0
   if dim > 4 then
      finish_trace()
      to = follow_all(t, v, list, count)
   else
      if dim >= 1 then to, count = follow_one(t, v, 0, list, count, to) end
      if dim >= 2 then to, count = follow_one(t, v, 1, list, count, to) end
      if dim >= 3 then to, count = follow_one(t, v, 2, list, count, to) end
      if dim >= 4 then to = follow_one(t, v, 3, list, count, to) end
      v._dim = to
      if to == 1 and v._stride[0] == 1 and v._memory._flags ~= FIXED then set_contiguous(v) end
   end
   return v, to == 0 and dim > 0
end
index_list.follow, index_list.out_of_range, index_list.position = follow, out_of_range, position

return index_list

end

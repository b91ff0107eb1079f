-- The [] operator of tensors: x[i], x[{...}], x[LongStorage], x[mask], read and written. Specialised per type.

return function(T) return function(methods, metatable)

local tonumber, type = tonumber, type
local ffi = require 'ffi'
local element, errors = require 'torch.loops.element', require 'torch.base.errors'
local geometry = require 'torch.base.geometry'
local buffers, types = require 'torch.memory.buffers', require 'torch.base.types'
local anchor_view, is_shared = buffers.anchor_view, buffers.is_shared
local istype = ffi.istype
local tensor_ct, sizes_ct, mask_ct = T.tensor_ct, types.by_name.Long.storage_ct, types.by_name.Byte.tensor_ct
local any_mask = T.base ~= nil      -- masks of other devices are of any type
local name = T.tensor_name
local set, convert = element.setter(T), element.convert
local alias, shared_owner = T.alias, T.shared_owner
local narrow_view, select_view = T.narrow_view, T.select_view
local lists = require('torch.jit.loader').specialise('torch.tensor.index_list', T)
local follow, out_of_range, position = lists.follow, lists.out_of_range, lists.position
local set_contiguous, shape = geometry.set_contiguous, geometry.shape
local C, RANK3, MATRIX = ffi.C, geometry.RANK3, geometry.MATRIX
local raise, describe = errors.raise, errors.describe
local floor = math.floor

local get_of_others, get_own = element.getters(T)

-- The element at an offset.
local function get(t, offset)
   if get_own ~= get_of_others and is_shared(t._memory) then
      return (get_of_others(t._memory._data, offset))
   end
   return (get_own(t._memory._data, offset))
end

-- The offset of the element at as many indices as dimensions, given in a LongStorage.
local function offset_at(t, indices)
   local count = #indices
   if count ~= t._dim or count == 0 then
      raise('%s: %d indices given for tensor [%s] of %.0f dimensions', name, count, shape(t), t._dim)
   end
   local offset = t._offset
   for k = 1, count do
      local at = position(indices[k], t._size[k - 1])
      if not at then out_of_range(t, indices[k], k) end
      offset = offset + at * t._stride[k - 1]
   end
   return offset
end

-- x[{i,j}] and x[{{a,b},{c,d}}] of matrices, the usual shapes in loops, without the general path.
local function matrix_element(t, list)
   local i, j, k = list[1], list[2], list[3]
   if t._dim == 2 and type(i) == 'number' and type(j) == 'number' and type(k) == 'nil' then
      local size, stride = t._size, t._stride
      if i >= 1 and j >= 1 then
         i, j = floor(i), floor(j)
         if i <= size[0] and j <= size[1] then return t._offset + (i - 1) * stride[0] + (j - 1) * stride[1] end
      end
   end
end

local function matrix_view(t, list)
   local rows, columns, more = list[1], list[2], list[3]
   if type(rows) ~= 'table' or type(columns) ~= 'table' or type(more) ~= 'nil' then return end
   local a, b, c, d, e, f = rows[1], rows[2], columns[1], columns[2], rows[3], columns[3]
   if t._dim ~= 2 or type(e) ~= 'nil' or type(f) ~= 'nil' then return end
   local size = t._size
   if type(a) == 'nil' and type(b) == 'nil' then a, b = 1, size[0] end
   if type(c) == 'nil' and type(d) == 'nil' then c, d = 1, size[1] end
   if type(a) == 'number' and type(b) == 'number' and type(c) == 'number' and type(d) == 'number'
      and a >= 1 and a <= b and b <= size[0] and c >= 1 and c <= d and d <= size[1]
      and a % 1 == 0 and b % 1 == 0 and c % 1 == 0 and d % 1 == 0 then
      local v = tensor_ct(0)
      v._size, v._stride = v._inline, v._inline + 4
      anchor_view(v, shared_owner(t))
      v._memory, v._dim = t._memory, 2
      local stride = t._stride
      v._offset = t._offset + (a - 1) * stride[0] + (c - 1) * stride[1]
      v._size[0], v._size[1], v._stride[0], v._stride[1] = b - a + 1, d - c + 1, stride[0], stride[1]
      if t._layout > 0 and d - c + 1 == size[1] then set_contiguous(v) end
      return v
   end
end

-- x[{{a, b}}] of a contiguous tensor, a range of the first dimension; nil for other lists.
local function range_view(t, list)
   local range = list[1]
   if t._layout == 0 or type(range) ~= 'table' or type(list[2]) ~= 'nil' then return end
   local a, b, c = range[1], range[2], range[3]
   if type(a) == 'number' and type(b) == 'number' and a >= 1 and a <= b and b <= t._size[0] and a % 1 == 0
      and b % 1 == 0 and type(c) == 'nil' then
      return narrow_view(t, 0, a - 1, b - a + 1)
   end
end

local function read_number(t, key)
   local at = position(key, t._dim == 0 and 0 or t._size[0])
   if not at then out_of_range(t, key, 1) end
   if t._dim == 1 then return get(t, t._offset + at * t._stride[0]) end
   return select_view(t, 0, at)
end

local function read_other(t, key)
   if type(key) == 'table' then
      local offset = matrix_element(t, key)
      if offset then return get(t, offset) end
      local view = range_view(t, key) or matrix_view(t, key)
      if view then return view end
      local single
      view, single = follow(t, key)
      if single then return get(view, view._offset) end
      return view
   end
   if istype(sizes_ct, key) then
      -- Computes the offset first: it rejects empty tensors, which have no memory.
      local offset = offset_at(t, key)
      return get(t, offset)
   end
   if istype(mask_ct, key) or any_mask and types.of_tensor(key) then return T.tensor_methods.maskedSelect(t, key) end
   -- Other keys are looked up among the methods.
end

function metatable.__index(t, key)
   if type(key) == 'number' then
      if t._dim == 1 and key >= 1 then
         local index = floor(key)
         if index <= t._size[0] then return get(t, t._offset + (index - 1) * t._stride[0]) end
      elseif t._dim > 1 and key >= 1 then
         local index = floor(key)
         if index <= t._size[0] then return (select_view(t, 0, index - 1)) end
      end
      return read_number(t, key)
   end
   if type(key) == 'string' then
      local method = T.tensor_methods[key]
      if type(method) == 'nil' and tonumber(key) then return read_number(t, tonumber(key)) end
      return method
   end
   return read_other(t, key)
end

local function store(v, value)
   if types.of_tensor(value) then
      T.tensor_methods.copy(v, value)
      return
   end
   local number = convert(value)
   if number == nil then raise('%s: the value must be a number or tensor (got %s)', name, describe(value)) end
   T.tensor_methods.fill(v, number)
end

-- Stores a number into an element of t, given as many indices as dimensions.
local function store_element(t, offset, value)
   local number = type(value) == 'number' and value or convert(value)
   if number == nil then raise('%s: the element must be a number (got %s)', name, describe(value)) end
   set(t._memory._data, offset, number)
end

local function write_number(t, key, value)
   local at = position(key, t._dim == 0 and 0 or t._size[0])
   if not at then out_of_range(t, key, 1) end
   if t._dim > 1 then return store(select_view(t, 0, at), value) end
   local v = alias(t)
   v._offset, v._size[0] = t._offset + at * t._stride[0], 1
   store(v, value)
end

local function write_mask(t, mask, value)
   if istype(tensor_ct, value) then return T.tensor_methods.maskedCopy(t, mask, value) end
   local number = convert(value)
   if number == nil then
      raise('%s: the value under a mask must be a number or %s (got %s)', name, name, describe(value))
   end
   T.tensor_methods.maskedFill(t, mask, number)
end

local function write_other(t, key, value)
   if type(key) == 'table' then
      local offset = matrix_element(t, key)
      if offset then return store_element(t, offset, value) end
      local view = range_view(t, key) or matrix_view(t, key)
      if view then return store(view, value) end
      local single
      view, single = follow(t, key)
      if single then return store_element(view, view._offset, value) end
      return store(view, value)
   end
   if istype(sizes_ct, key) then
      return store_element(t, offset_at(t, key), value)
   end
   if istype(mask_ct, key) or any_mask and types.of_tensor(key) then return write_mask(t, key, value) end
   local number = tonumber(key)
   if number then return write_number(t, number, value) end
   raise('the class %s cannot be indexed by %s', name, type(key) == 'string' and "'" .. key .. "'" or describe(key))
end

function metatable.__newindex(t, key, value)
   if type(key) ~= 'number' then return write_other(t, key, value) end
   if t._dim == 1 and key >= 1 and type(value) == 'number' then
      local index = floor(key)
      if index <= t._size[0] then
         set(t._memory._data, t._offset + (index - 1) * t._stride[0], value)
         return
      end
   elseif istype(tensor_ct, value) and key >= 1 and t._layout >= MATRIX and t._layout < RANK3 and value._layout > 0 then
      local index, n = floor(key), t._inline[1]
      if index <= t._inline[0] and value._count == n then
         C.t7_memmove(t._memory._data + (t._offset + (index - 1) * n), value._memory._data + value._offset, n * T.size)
         return
      end
   end
   write_number(t, key, value)
end

-- Torch7's names for both. The test whether the key selects elements comes last.
local read, write = metatable.__index, metatable.__newindex
function methods.__index__(t, key)
   T.check_self(t, '__index__')
   if type(key) == 'string' then return false end
   return read(t, key), true
end

function methods.__newindex__(t, key, value)
   T.check_self(t, '__newindex__')
   write(t, key, value)
   return true
end

end end

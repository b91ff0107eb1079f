-- Tensors of one element type: how they are made, what they answer about themselves, what they refer to,
-- and their metatable. Specialised per type; views, indexing and the operations add their methods.

return function(T)

local ipairs, rawequal, select, tonumber, type = ipairs, rawequal, select, tonumber, type
local ffi = require 'ffi'
local errors, geometry = require 'torch.core.errors', require 'torch.core.geometry'
local loader, memory = require 'torch.core.loader', require 'torch.memory.blocks'
local types = require 'torch.core.types'
local finish_trace = require('torch.core.trace').finish
local anchor, anchor_view, anchor_tensor = memory.anchor, memory.anchor_view, memory.anchor_tensor
local HEADER_BYTES = memory.HEADER_BYTES
local header_ct, pointer_ct = T.header_ct, T.pointer_ct
local cast, fill = ffi.cast, ffi.fill
local istype = ffi.istype
local tensor_ct, storage_ct = T.tensor_ct, T.storage_ct
local name = T.tensor_name
local count_of, set_dim, extent = geometry.count, geometry.set_dim, geometry.extent
local set_contiguous, same_size = geometry.set_contiguous, geometry.same_size
local columns, lay_out = geometry.columns, geometry.lay_out
local matrix_layout, vector_layout = geometry.matrix_layout, geometry.vector_layout
local MATRIX, CUBE = geometry.MATRIX, geometry.CUBE
local integer, describe = errors.integer, errors.describe
local floor, huge, min = math.floor, math.huge, math.min
local Long = types.by_name.Long
local sizes_ct = Long.storage_ct
local array_ct = ffi.typeof 'double[?]'
local INLINE_BYTES, ZEROED_BYTES, size_of = memory.INLINE_BYTES, memory.ZEROED_BYTES, T.size
local MOST_BYTES, MOST_ELEMENTS = memory.MOST_BYTES, geometry.MOST_ELEMENTS

local methods = {}

-- An empty tensor.
local function new()
   local t = tensor_ct(0)
   t._size, t._stride = t._inline, t._inline + 4
   return t
end
T.new_tensor = new

-- A tensor of no dimension yet that owns memory for `count` elements.
local function new_owner(count)
   if count * size_of <= INLINE_BYTES then
      local t = tensor_ct(HEADER_BYTES + count * size_of)
      t._size, t._stride = t._inline, t._inline + 4
      local header = cast(header_ct, t._own)
      header._data, header._size, header._capacity = cast(pointer_ct, t._own + HEADER_BYTES), count, count
      t._memory = header
      return t
   end
   local t = memory.new_alone(T, count)
   t._size, t._stride = t._inline, t._inline + 4
   return t
end

-- The owner of what `t` looks at, which from now on somebody else may look at too.
local function shared_owner(t)
   return memory.shared_owner(t, T)
end
T.shared_owner = shared_owner

-- A tensor that looks at what `t` looks at; the caller may change its sizes, strides and offset.
local function alias(t)
   local v = tensor_ct(0)
   v._size, v._stride = v._inline, v._inline + 4
   anchor_view(v, shared_owner(t))
   v._memory, v._offset = t._memory, t._offset
   geometry.copy(v, t)
   return v
end
T.alias = alias

-- Makes sure that the memory of `t` has `needed` elements. Called before its sizes change: when there is no
-- such memory the error leaves the tensor as it was.
local function ensure(t, needed)
   if t._memory == nil then
      local owner = memory.new(T, needed)
      anchor_tensor(t, owner)
      t._memory = owner._header
   elseif needed > t._memory._size then
      memory.resize(memory.owner(t), T, needed)
   end
end

-- Gives r the sizes of t, whose layout is given.
local function take_layout(r, t, layout)
   r._layout, r._count = layout, t._count
   local to, from = r._inline, t._inline
   if layout < MATRIX then
      r._dim, to[0], to[4] = 1, from[0], 1
   elseif layout < CUBE then
      r._dim, to[0], to[1], to[4], to[5] = 2, from[0], from[1], from[1], 1
   else
      r._dim, to[0], to[1], to[2], to[3] = t._dim, from[0], from[1], from[2], from[3]
      to[4], to[5], to[6], to[7] = from[4], from[5], from[6], from[7]
   end
end

-- A new tensor with the sizes of t, of any type, whose layout is given, of up to SMALL elements. They are 0. What is
-- read again behind the call that makes the tensor need not be kept over it: a trace has few places for such values.
T.SMALL = floor(min(INLINE_BYTES / size_of, 512))

function T.new_small(t, layout)
   local r = tensor_ct(HEADER_BYTES + t._count * size_of)
   r._size, r._stride = r._inline, r._inline + 4
   local header = cast(header_ct, r._own)
   header._data, header._size, header._capacity = cast(pointer_ct, r._own + HEADER_BYTES), t._count, t._count
   r._memory = header
   take_layout(r, t, layout)
   return r
end

-- A new contiguous tensor with the sizes of `t`, a tensor of any type. Its elements are not set.
local function new_like(t)
   local layout = t._layout
   if layout > 0 then
      if t._count <= T.SMALL then return (T.new_small(t, layout)) end
      local r = new_owner(t._count)
      take_layout(r, t, layout)
      return r
   end
   local n = count_of(t)
   if n == 0 then return new() end
   local r = new_owner(n)
   geometry.copy(r, t)
   set_contiguous(r)
   return r
end
T.new_like = new_like

-- A new contiguous tensor of a list of sizes, empty when one of them is 0. Its elements are not set.
function T.new_contiguous(sizes)
   local count = 1
   for d = 1, #sizes do count = count * sizes[d] end
   if count == 0 then return new() end
   local r = new_owner(count)
   set_dim(r, #sizes)
   for d = 1, #sizes do r._size[d - 1] = sizes[d] end
   set_contiguous(r)
   return r
end

-- A new tensor of one dimension; its elements are not set. `spare` more than it shows may be written behind them.
function T.new_vector(count, spare)
   if count == 0 then return new() end
   local r = new_owner(count + (spare or 0))
   r._memory._size = count
   r._dim, r._size[0], r._stride[0] = 1, count, 1
   r._layout, r._count = vector_layout(count), count
   return r
end

-- Gives `t` the sizes of `like`; strides are kept when they are its sizes already.
local function resize_as(t, like)
   if same_size(t, like) then return t end
   local n = count_of(like)
   if n > 0 then ensure(t, t._offset + n) end
   geometry.copy(t, like)
   lay_out(t)
   return t
end
T.resize_as = resize_as

local function check_self(t, method)
   if not istype(tensor_ct, t) then
      errors.argument(method, 1, '%s expected, got %s; a method of x is called as x:%s(...)', name, describe(t), method)
   end
end
T.check_self = check_self

-- Sizes and strides asked for, until they are checked and set; -1 is a stride to be chosen.
local wanted_size, wanted_stride, room = array_ct(8), array_ct(8), 8

local function reserve(dim)
   if dim > room then
      wanted_size, wanted_stride, room = array_ct(2 * dim), array_ct(2 * dim), 2 * dim
   end
end

local function size_argument(method, n, value)
   local size = integer(method, n, value)
   if size > MOST_BYTES then errors.argument(method, n, 'size %.0f is beyond any memory', size) end
   return size
end

-- Raises unless so many elements, which reach over so many positions of memory, are possible.
local function check_reach(reach, count)
   if not (reach * size_of <= MOST_BYTES) then
      errors.raise('%s: not enough memory for elements that reach over %.0f positions', name,
         reach == reach and reach or huge)
   end
   if not (count <= MOST_ELEMENTS) then errors.raise('%s: at most 2^53 elements expected, got %g', name, count) end
end

-- Gives `t` the first `dim` wanted sizes and strides. They end before the first size that is not positive; a
-- stride that is negative is chosen so that the tensor is contiguous. Same sizes keep the strides there are.
local function set_wanted(t, dim)
   local size, stride = wanted_size, wanted_stride
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

-- How many of four sizes come before the first that is not positive.
local function used_of(a, b, c, d)
   if not (a > 0) then return 0 end
   if not (b > 0) then return 1 end
   if not (c > 0) then return 2 end
   return d > 0 and 4 or 3
end

-- The number of elements of so many of four sizes.
local function count_of_four(used, a, b, c, d)
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
   check_reach(reach + t._offset, count_of_four(used, a, b, c, d))
   if used > 0 then ensure(t, t._offset + reach) end
   set_dim(t, used)
   size, stride = t._size, t._stride
   if used >= 1 then size[0], stride[0] = a, p end
   if used >= 2 then size[1], stride[1] = b, q end
   if used >= 3 then size[2], stride[2] = c, r end
   if used >= 4 then size[3], stride[3] = d, s end
   if is_plain then lay_out(t) end
   return t
end

local function set_sizes(t, dim)
   if dim > 4 or columns then return set_wanted(t, dim) end
   local size, stride = wanted_size, wanted_stride
   return set_four(t, dim >= 1 and size[0] or 0, dim >= 2 and size[1] or 0, dim >= 3 and size[2] or 0,
      dim >= 4 and size[3] or 0, stride[0], stride[1], stride[2], stride[3])
end

-- Gives `t` the sizes of a list of numbers.
function T.resize_to(t, sizes)
   local dim = #sizes
   if dim <= 4 and not columns then
      return set_four(t, sizes[1] or 0, sizes[2] or 0, sizes[3] or 0, sizes[4] or 0, -1, -1, -1, -1)
   end
   reserve(dim)
   for k = 1, dim do wanted_size[k - 1], wanted_stride[k - 1] = sizes[k], -1 end
   return set_wanted(t, dim)
end

-- A tensor of up to four sizes: `t`, resized, or a new one, whose elements are not set.
function T.sized(t, a, b, c, d)
   if columns then return T.resize_to(t or new(), { a, b, c, d }) end
   b, c, d = b or 0, c or 0, d or 0
   if t then return set_four(t, a, b, c, d, -1, -1, -1, -1) end
   local used = used_of(a, b, c, d)
   local n = count_of_four(used, a, b, c, d)
   if n == 0 then return new() end
   check_reach(n, n)
   t = new_owner(n)
   t._dim = used
   local size = t._size
   size[0], size[1], size[2], size[3] = a, b, c, d
   set_contiguous(t)
   return t
end

-- A new matrix of two sizes above 0; its elements are not set.
function T.new_matrix(a, b)
   local layout = matrix_layout(a, b)
   if layout == 0 then return T.sized(nil, a, b) end
   local t = new_owner(a * b)
   local size, stride = t._inline, t._inline + 4
   t._dim, t._layout, t._count = 2, layout, a * b
   size[0], size[1], stride[0], stride[1] = a, b, b, 1
   return t
end

-- Whether two tensors look at the same memory, or would if they had elements. Views of storages, arrays of Python and
-- mapped files have headers of their own for bytes that others may look at, too.
local FIXED = memory.FIXED
function T.shares(t, other)
   local a, b = t._memory, other._memory
   if a == b then return a ~= nil end
   return a ~= nil and b ~= nil and (a._flags == FIXED or b._flags == FIXED)
      and memory.overlap(a, size_of, b, types.of_tensor(other).size)
end

-- The elements of t in order, for who writes to `target`, of any type, and still needs them as they are. One file may
-- be mapped twice, to addresses that do not tell.
function T.steady(t, target)
   if target and (T.shares(t, target) or t._memory ~= nil and t._memory._flags == FIXED) then return T.clone(t) end
   return T.contiguous(t)
end

local function read_sizes(storage)
   local object = storage._memory
   local dim = object._size
   reserve(dim)
   for d = 0, dim - 1 do
      wanted_size[d], wanted_stride[d] = tonumber(object._data[d]), -1
   end
   return dim
end

-- Reads sizes from the arguments at position n of `method`: LongStorage [, LongStorage of strides], or numbers.
local function sizes_from_arguments(method, n, ...)
   finish_trace()
   local first, second = ...
   if istype(sizes_ct, first) then
      local dim = read_sizes(first)
      if type(second) == 'nil' then return dim end
      if not istype(sizes_ct, second) then
         errors.argument(method, n + 1, 'torch.LongStorage expected, got %s', describe(second))
      end
      local object = second._memory
      if object._size ~= dim then
         errors.argument(method, n + 1, 'as many strides as sizes expected: %.0f sizes, %.0f strides', dim,
            object._size)
      end
      for d = 0, dim - 1 do wanted_stride[d] = tonumber(object._data[d]) end
      return dim
   end
   local dim = select('#', ...)
   while dim > 0 and type((select(dim, ...))) == 'nil' do dim = dim - 1 end
   reserve(dim)
   for i = 1, dim do
      wanted_size[i - 1], wanted_stride[i - 1] = size_argument(method, n + i - 1, (select(i, ...))), -1
   end
   return dim
end

-- Whether up to four arguments, as most programs give them, are sizes and nothing else.
local function are_sizes(a, b, c, d, e)
   return type(a) == 'number' and a >= 1 and a < MOST_BYTES and a % 1 == 0
      and (type(b) == 'nil' or type(b) == 'number' and b >= 1 and b < MOST_BYTES and b % 1 == 0)
      and (type(c) == 'nil' or type(b) ~= 'nil' and type(c) == 'number' and c >= 1 and c < MOST_BYTES and c % 1 == 0)
      and (type(d) == 'nil' or type(c) ~= 'nil' and type(d) == 'number' and d >= 1 and d < MOST_BYTES and d % 1 == 0)
      and type(e) == 'nil'
end
T.are_sizes = are_sizes

-- Reads size, stride, size, stride, ... from the arguments at position n; a last stride may be missing.
local function pairs_from_arguments(method, n, ...)
   finish_trace()
   local count = select('#', ...)
   while count > 0 and type((select(count, ...))) == 'nil' do count = count - 1 end
   local dim = (count + count % 2) / 2
   reserve(dim)
   for d = 0, dim - 1 do
      local size, stride = select(2 * d + 1, ...)
      wanted_size[d] = size_argument(method, n + 2 * d, size)
      wanted_stride[d] = type(stride) == 'nil' and -1 or size_argument(method, n + 2 * d + 1, stride)
   end
   return dim
end

-- Looks at the memory of `owner` that has the header. A tensor that owns what it looks at has no anchor: it would keep
-- itself alive.
local function look_at(t, owner, header)
   t._dim, t._layout, t._memory = 0, 0, nil
   anchor_tensor(t, not rawequal(owner, t) and owner or nil)
   t._memory = header
end

local function is_stride(p)
   return type(p) == 'nil' or type(p) == 'number' and p >= 0 and p < MOST_BYTES and p % 1 == 0
end

-- storage, offset, then LongStorages of sizes and strides, or numbers size, stride, size, stride, ...
local function set_storage(t, method, storage, offset, first, ...)
   local owner = anchor[storage]
   local dim = 0
   -- A vector or a matrix, as most programs ask for them, without a loop.
   local p, b, q, e = ...
   if type(first) ~= 'nil' and are_sizes(offset, first, b, nil, e) and is_stride(p) and is_stride(q)
      and (type(b) ~= 'nil' or type(q) == 'nil') and not columns then
      set_dim(t, 0)
      t._offset = offset - 1
      look_at(t, owner, storage._memory)
      return set_four(t, first, b or 0, 0, 0, p or -1, q or -1, -1, -1)
   end
   if type(offset) == 'nil' then
      if type(first) ~= 'nil' then errors.argument(method, 2, 'number expected, got nil') end
      offset, dim = 1, 1
      wanted_size[0], wanted_stride[0] = storage._memory._size, -1
   else
      offset = size_argument(method, 2, offset)
      if offset < 1 then errors.argument(method, 2, 'storage offset of at least 1 expected, got %.0f', offset) end
      if istype(sizes_ct, first) then
         dim = sizes_from_arguments(method, 3, first, ...)
      elseif type(first) ~= 'nil' then
         dim = pairs_from_arguments(method, 3, first, ...)
      end
   end
   set_dim(t, 0)
   t._offset = offset - 1
   look_at(t, owner, storage._memory)
   return set_sizes(t, dim)
end

local function set_nothing(t)
   set_dim(t, 0)
   t._memory, t._offset = nil, 0
   anchor_tensor(t, nil)
   return t
end

local function set_tensor(t, source)
   if rawequal(t, source) then return t end
   if source._memory == nil then return set_nothing(t) end
   local owner = shared_owner(source)
   look_at(t, owner, source._memory)
   t._offset = source._offset
   geometry.copy(t, source)
   t._layout, t._count = source._layout, source._count
   return t
end
T.set_tensor = set_tensor

local from_table = loader.specialise('torch.tensor.from_table', T)

-- What torch.DoubleTensor(...) makes: from nothing; sizes; a LongStorage of sizes, with one of strides;
-- a storage with offset, sizes and strides; another tensor of the type; nested tables.
function methods.new(first, second, third, fourth, fifth, ...)
   local kind = type(first)
   if kind == 'number' then
      if are_sizes(first, second, third, fourth, fifth) then
         local t = T.sized(nil, first, second, third, fourth)
         local bytes = t._memory._size * size_of
         if bytes <= ZEROED_BYTES and bytes > INLINE_BYTES then fill(t._memory._data, bytes) end
         return t
      end
      return set_sizes(new(), sizes_from_arguments(name, 1, first, second, third, fourth, fifth, ...))
   elseif kind == 'nil' then
      if type(second) ~= 'nil' then errors.argument(name, 1, 'number expected, got nil') end
      return new()
   elseif kind == 'table' then
      return from_table(first)
   elseif istype(tensor_ct, first) then
      return set_tensor(new(), first)
   elseif istype(storage_ct, first) then
      return set_storage(new(), name, first, second, third, fourth, fifth, ...)
   elseif istype(sizes_ct, first) or kind == 'string' and tonumber(first) then
      return set_sizes(new(), sizes_from_arguments(name, 1, first, second, third, fourth, fifth, ...))
   end
   errors.argument(name, 1, 'number, table, %s, %s or torch.LongStorage expected, got %s', name, T.storage_name,
      describe(first))
end

-- Looks at another tensor, at a storage, at new memory of given sizes, or at nothing.
function methods.set(t, ...)
   check_self(t, 'set')
   local first = ...
   if istype(tensor_ct, first) then return set_tensor(t, first) end
   errors.refuse_nil('set', ...)
   local kind = type(first)
   if kind == 'nil' then return set_nothing(t) end
   if istype(storage_ct, first) then return set_storage(t, 'set', ...) end
   if kind == 'number' or istype(sizes_ct, first) then
      return set_sizes(set_nothing(t), sizes_from_arguments('set', 1, ...))
   end
   errors.argument('set', 1, 'number, %s or %s expected, got %s', name, T.storage_name, describe(first))
end

function methods.resize(t, ...)
   check_self(t, 'resize')
   errors.refuse_nil('resize', ...)
   local first, second, third, fourth, fifth = ...
   if are_sizes(first, second, third, fourth, fifth) then return T.sized(t, first, second, third, fourth) end
   return set_sizes(t, sizes_from_arguments('resize', 1, ...))
end

function methods.resizeAs(t, like)
   check_self(t, 'resizeAs')
   if not istype(tensor_ct, like) then errors.argument('resizeAs', 1, '%s expected, got %s', name, describe(like)) end
   return resize_as(t, like)
end

local metatable = {
   __len = function(t) return T.tensor_methods.__len__(t) end,
   __tostring = function(t) return T.tensor_methods.__tostring__(t) end,
   -- Tensors are equal when they are the same object; what they hold is compared by `equal`.
   __eq = function(a, b) return (rawequal(a, b)) end,
}

for _, part in ipairs { 'properties', 'view', 'copy', 'shape', 'indexing' } do
   loader.specialise('torch.tensor.' .. part, T)(methods, metatable)
end
for _, part in ipairs { 'apply', 'operators' } do loader.specialise('torch.tensor.' .. part, T)(methods, metatable) end

require 'torch.tensor.undefined_operators'(metatable)
T.tensor_operators = metatable
ffi.metatype(tensor_ct, metatable)

return methods

end

-- Tensors and storages in files, and the names of dimensions.
--
-- Names are a string after the object, which other readers, such as Torch7's torch.load, leave unread. Its lines have
-- the index of a tensor in the file, and its names:
--
--    t7shell.names
--    1 rows,columns

local ffi = require 'ffi'
local buffers, class_registry = require 'torch.memory.buffers', require 'torch.base.class_registry'
local dimension_names, element_io = require 'torch.base.dimension_names', require 'torch.io.element_io'
local finish_trace, geometry = require('torch.jit.trace').finish, require 'torch.base.geometry'
local object_format, stream = require 'torch.io.object_format', require 'torch.io.stream'
local types = require 'torch.base.types'
local read_on_host = require('torch.memory.device_buffers').read_on_host
local anchor, anchor_tensor, shared_owner = buffers.anchor, buffers.anchor_tensor, buffers.shared_owner
local names_of, set_dim = dimension_names.list_of, geometry.set_dim
local of_tensor, of_storage, Long = types.of_tensor, types.of_storage, types.by_name.Long
local here, int, long, raise_at = object_format.here, object_format.int, object_format.long, object_format.raise_at
local check_remaining, report = object_format.check_remaining, object_format.report
local put_elements, read_elements = element_io.write, element_io.read
local put_int, put_long, get_int = object_format.put_int, object_format.put_long, object_format.get_int
local rawequal, tonumber, type = rawequal, tonumber, type

local tensor_format = {}

local function write_storage(s, T, storage)
   if T.base then read_on_host(storage) end
   local n = storage._memory._size
   put_long(s, n)
   put_elements(s, T, storage._memory._data, n)
end

local function put_longs(s, values, count)
   local longs = ffi.new('int64_t[?]', count)
   for i = 0, count - 1 do longs[i] = values[i] end
   put_elements(s, Long, longs, count)
end

-- Records the names of a tensor that the writer w has just numbered.
function tensor_format.note_names(w, t)
   local list = names_of[t] and dimension_names.get(t)
   if not list then return end
   w.names = w.names or {}
   w.names[#w.names + 1] = string.format('%.0f %s\n', w.count, table.concat(list, ','))
end

local function write_tensor(s, w, T, t)
   local dim = t._dim
   put_int(s, dim)
   put_longs(s, t._size, dim)
   put_longs(s, t._stride, dim)
   put_long(s, t._offset + 1)
   -- The owner first: shared_owner may replace the header, t._memory.
   local owner = t._memory ~= nil and shared_owner(t, T)
   w.write(s, w, owner and T.wrap_storage(owner, t._memory) or nil)
end

-- Writes the contents of a tensor or a storage of type T.
function tensor_format.write(s, w, T, object)
   if ffi.istype(T.storage_ct, object) then return write_storage(s, T, object) end
   write_tensor(s, w, T, object)
end

local function check_count(s, T, got, count, at)
   if got < count then
      object_format.unreadable(s, at, 'cannot read %.0f elements of %s (got %.0f, then %s)', count, T.storage_name, got,
         object_format.found(s))
   end
end

-- The size of the storage of type T that follows, and its position.
local function size_of_storage(s, T)
   local at, what = here(s), 'size of a ' .. T.storage_name
   local count = long(s, what)
   check_remaining(s, at, count, element_io.min_bytes(s, T, count), what)
   return count, at
end

function tensor_format.read_storage(s, T)
   local count, at = size_of_storage(s, T)
   local storage, got = element_io.read_storage(s, T, count)
   check_count(s, T, got, count, at)
   report(s)
   return storage
end

local MAX_DIMENSIONS = 1000     -- more than any tensor has

local sizes, strides = ffi.new('int64_t[?]', MAX_DIMENSIONS), ffi.new('int64_t[?]', MAX_DIMENSIONS)

-- The list size, stride, size, stride, ... from the third dimension on.
local function further_sizes(dim)
   finish_trace()
   local list = {}
   for d = 2, dim - 1 do list[2 * d - 3], list[2 * d - 2] = tonumber(sizes[d]), tonumber(strides[d]) end
   return list
end

-- The distance between the first and the last element along dimension d.
local function extent_of(s, T, at, d, n, step)
   if n < 1 or step < 0 or n > buffers.MAX_BYTES or step > buffers.MAX_BYTES then
      raise_at(s, at, 'dimension %d of a %s: size %.0f and stride %.0f are impossible', d, T.tensor_name, n, step)
   end
   return (n - 1) * step
end

-- Sets sizes, strides, offset and storage of a tensor, which were checked.
local function place(t, dim, a, p, b, q, others, offset, storage)
   local owner = anchor[storage]
   set_dim(t, 0)
   t._memory, t._offset = nil, offset - 1
   -- A tensor that owns its memory has no anchor, which would be a cycle.
   anchor_tensor(t, not rawequal(owner, t) and owner or nil)
   t._memory = storage._memory
   set_dim(t, dim)
   local size, stride = t._size, t._stride
   if dim > 0 then size[0], stride[0] = a, p end
   if dim > 1 then size[1], stride[1] = b, q end
   if others then
      for d = 2, dim - 1 do size[d], stride[d] = others[2 * d - 3], others[2 * d - 2] end
   end
   return t
end

-- Gives `t` the sizes, strides, offset and storage that follow.
local function read_tensor(s, r, T, t)
   local at = here(s)
   local dim = int(s, 'number of dimensions of a ' .. T.tensor_name)
   if dim < 0 or dim > MAX_DIMENSIONS then
      raise_at(s, at, 'the number of dimensions of a %s must be 0 to %d (got %.0f)', T.tensor_name, MAX_DIMENSIONS, dim)
   end
   check_count(s, Long, read_elements(s, Long, sizes, dim), dim, at)
   check_count(s, Long, read_elements(s, Long, strides, dim), dim, at)
   -- Sizes and strides of the first two dimensions, without a loop; the storage may be an object that reads over them.
   local a, b = dim > 0 and tonumber(sizes[0]) or nil, dim > 1 and tonumber(sizes[1]) or nil
   local p, q = dim > 0 and tonumber(strides[0]) or nil, dim > 1 and tonumber(strides[1]) or nil
   local others = dim > 2 and further_sizes(dim)
   local offset = long(s, 'storage offset of a ' .. T.tensor_name)
   local storage_at = here(s)
   local storage = r.read(s, r)
   if type(storage) == 'nil' and dim == 0 then return t end
   if of_storage(storage) ~= T then
      raise_at(s, storage_at, 'the storage must be a %s (got %s)', T.storage_name, class_registry.type(storage))
   end
   local reach, count = offset, 1
   if dim > 0 then reach, count = reach + extent_of(s, T, at, 1, a, p), a end
   if dim > 1 then reach, count = reach + extent_of(s, T, at, 2, b, q), count * b end
   if others then
      for d = 3, dim do
         reach = reach + extent_of(s, T, at, d, others[2 * d - 5], others[2 * d - 4])
         count = count * others[2 * d - 5]
      end
   end
   if offset < 1 or offset > buffers.MAX_BYTES or dim > 0 and reach > storage._memory._size then
      raise_at(s, at, 'a %s that ends at element %.0f does not fit its storage of %.0f', T.tensor_name, reach,
         storage._memory._size)
   end
   if count > geometry.MAX_ELEMENTS then
      raise_at(s, at, 'a %s has at most 2^53 elements (got %g)', T.tensor_name, count)
   end
   return place(t, dim, a, p, b, q, others, offset, storage)
end
tensor_format.read_tensor = read_tensor

-- Reads the contents of a tensor or a storage into it.
function tensor_format.read(s, r, object)
   local T = of_tensor(object)
   if T then return read_tensor(s, r, T, object) end
   T = of_storage(object)
   local count, at = size_of_storage(s, T)
   object:resize(count)
   check_count(s, T, read_elements(s, T, object._memory._data, count), count, at)
end

local HEAD = 't7shell.names\n'
-- Length of a text with one name in ascii, the shortest case.
local MIN_BYTES, SHOWN = #HEAD + 8, #HEAD + 24

-- Writes the noted names after the only object of the file.
function tensor_format.write_names(s)
   local lines = s.writer and s.writer.names
   if not lines then return end
   put_int(s, object_format.STRING)
   object_format.put_string(s, HEAD .. table.concat(lines))
end

local function names_follow(s)
   if not stream.need(s, MIN_BYTES) then return false end
   stream.need(s, SHOWN)
   local left = s.limit - s.pos
   local text = ffi.string(s.data + s.pos, left < SHOWN and left or SHOWN)
   if s.binary then return string.sub(text, 1, 4) == '\2\0\0\0' and string.sub(text, 9, 8 + #HEAD) == HEAD end
   return string.find(text, '^%s*2%s+%d+%s' .. HEAD) ~= nil
end

local function list_of(text)
   local list, seen = {}, {}
   for name in string.gmatch(text, '[^,]+') do
      if not dimension_names.is_name(name) or seen[name] and name ~= dimension_names.NONE then return nil end
      list[#list + 1], seen[name] = name, true
   end
   return list
end

-- Reads the string, if any, and names the tensors that were read. Entries for other objects are ignored.
function tensor_format.read_names(s)
   if not names_follow(s) then return end
   local from = s.pos
   get_int(s)
   local length = get_int(s)
   local text = length and length >= 0 and stream.read_string(s, length)
   if not text then
      s.pos = from
      return
   end
   local objects = s.reader.objects
   for line in string.gmatch(string.sub(text, #HEAD + 1), '[^\n]+') do
      local index, given = string.match(line, '^(%d+) (.*)$')
      local t, list = objects[tonumber(index)], given and list_of(given)
      if list and of_tensor(t) then dimension_names.set(t, list) end
   end
end

return tensor_format

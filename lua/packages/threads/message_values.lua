-- The values that messages between threads contain in addition to those of files: shared memory, references to modules,
-- handles, and collections of tds. A scheme, for object_writer and object_reader, has tag(value, kind) and `readers`.

local class_registry, function_format = require 'torch.base.class_registry', require 'torch.io.function_format'
local geometry, dimension_names = require 'torch.base.geometry', require 'torch.base.dimension_names'
local buffers, shared = require 'torch.memory.buffers', require 'torch.memory.shared'
local object_format = require 'torch.io.object_format'
local object_reader, object_writer = require 'torch.io.object_reader', require 'torch.io.object_writer'
local th_struct, references = require 'torch.tensor.th_struct', require 'threads.references'
local stubs = require 'torch.language.stubs'
local stream, types = require 'torch.io.stream', require 'torch.base.types'
local getmetatable, ipairs, next, require, type = getmetatable, ipairs, next, require, type
local find = string.find
local put_int, put_double = object_format.put_int, object_format.put_double
local get_int, get_double = object_format.get_int, object_format.get_double
local write_bytes, read_bytes = stream.write_bytes, stream.read_bytes
local write, read = object_writer.write_inner, object_reader.read_inner
local of_tensor, of_storage = types.of_tensor, types.of_storage

-- Tags in addition to those of files, see object_writer.lua.
local STORAGE, TENSOR, REFERENCE, STRUCT, HANDLE, COLLECTION, HELD = -1, -2, -3, -4, -5, -6, -7

-- The numbers of element types, those of devices last.
local rows, number_of = {}, {}
for _, list in ipairs { types.rows, types.device_rows } do
   for _, T in ipairs(list) do
      rows[#rows + 1] = T
      number_of[T] = #rows
   end
end

local function row_at(number)
   local T = rows[number]
   if not T.tensor_ct then require 'cutorch' end
   return T
end

-- Writes the address of shared memory, to which the message holds a reference until it is freed.
local function put_buffer(s, owner, T)
   local address = shared.address(owner, T)
   local held = s.held
   shared.retain(address)
   held[#held + 1] = address
   put_double(s, address)
end

local function write_storage(s, _, storage)
   local T = of_storage(storage)
   put_int(s, number_of[T])
   put_buffer(s, buffers.anchor[storage], T)
end

local function write_tensor(s, w, t)
   local T, dim = of_tensor(t), t._dim
   s.tensors[#s.tensors + 1] = t
   put_int(s, number_of[T])
   put_int(s, dim)
   write_bytes(s, t._size, 8 * dim)
   write_bytes(s, t._stride, 8 * dim)
   put_double(s, t._offset)
   write(s, w, dimension_names.list_of[t] and dimension_names.get(t) or nil)
   if t._memory == nil then put_double(s, 0) else put_buffer(s, T.shared_owner(t), T) end
end

local function write_reference(s, w, value)
   local kind, name, field = references.of(value, type(value))
   write(s, w, kind)
   write(s, w, name)
   write(s, w, field)
end

local function write_struct(s, w, pointer) write(s, w, th_struct.objects[pointer]) end

local function write_handle(s, w, object)
   write(s, w, getmetatable(object).__handle)
   put_double(s, object:id())
end

local function write_collection(s, w, object)
   local address, held = require('tds')._share(object), s.held
   shared.retain(address)
   held[#held + 1] = address
   write(s, w, class_registry.typename(object))
   put_double(s, address)
end

-- The bytecode of a function that waits for its first call comes from a file, and is not trusted.
local readers = { [HELD] = object_reader.read_held }

readers[TENSOR] = function(s, r, index)
   local T, dim = row_at(get_int(s)), get_int(s)
   local t = T.new_tensor()
   r.objects[index] = t
   geometry.set_dim(t, dim)
   read_bytes(s, t._size, 8 * dim)
   read_bytes(s, t._stride, 8 * dim)
   t._offset = get_double(s)
   local names = read(s, r)
   local address = get_double(s)
   if address ~= 0 then
      local owner = shared.owner(address, T)
      buffers.anchor_tensor(t, owner)
      t._memory = owner._header
      if dim > 0 and geometry.is_contiguous(t) then geometry.set_strides(t) end
   end
   if names then dimension_names.set(t, names) end
   s.tensors[#s.tensors + 1] = t
   return t
end

-- Readers of values that are complete when they are registered.
for tag, get in next, {
   [STORAGE] = function(s)
      local T = row_at(get_int(s))
      return T.wrap_storage(shared.owner(get_double(s), T))
   end,
   [REFERENCE] = function(s, r) return references.value(read(s, r), read(s, r), (read(s, r))) end,
   [STRUCT] = function(s, r) return read(s, r):cdata() end,
   [HANDLE] = function(s, r) return require('threads.' .. read(s, r)).borrow(get_double(s)) end,
   [COLLECTION] = function(s, r)
      local name = read(s, r)
      return require('tds')._shared(name, get_double(s))
   end,
} do
   readers[tag] = function(s, r, index)
      local value = get(s, r)
      r.objects[index] = value
      return value
   end
end

-- The tags of values in copying messages, and in sharing ones.
local function tag_of_copied(value, kind)
   if kind == 'table' then
      local metatable = getmetatable(value)
      if metatable and metatable.__handle then return HANDLE, write_handle end
   end
   if kind == 'function' then
      local record = stubs.record(value)
      if record then
         if record.f then return nil end
         return HELD, function_format.write
      end
   end
   if (kind == 'table' or kind == 'function') and references.of(value, kind) then return REFERENCE, write_reference end
end

local function tag_of_shared(value, kind)
   if kind == 'userdata' and find(class_registry.typename(value) or '', '^tds%.') then
      return COLLECTION, write_collection
   end
   if kind ~= 'cdata' then return tag_of_copied(value, kind) end
   if of_tensor(value) then return TENSOR, write_tensor end
   if of_storage(value) then
      -- The writer identifies storages by the owner of their memory, which is replaced once.
      shared.address(buffers.anchor[value], of_storage(value))
      return STORAGE, write_storage
   end
   if th_struct.objects[value] then return STRUCT, write_struct end
end

return {
   copied = { tag = tag_of_copied, readers = readers },
   shared = { tag = tag_of_shared, readers = readers },
}

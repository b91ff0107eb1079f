-- Messages between threads: Lua values as bytes in memory that belongs to no state. A sharing message refers to the
-- memory of tensors and storages, and the reader gets tensors on the same memory; others contain copies of the
-- elements.

local error, getmetatable, ipairs, pcall, require = error, getmetatable, ipairs, pcall, require
local find, next, tonumber, tostring, type = string.find, next, tonumber, tostring, type
local ffi = require 'ffi'
-- Loads the parts of torch.save and torch.load.
require('torch').serialize(0)
local libc, class_registry = require 'torch.native.libc', require 'torch.base.class_registry'
local host = require('torch.native.host').of 'threads'
local element_io, message_streams = require 'torch.io.element_io', require 'threads.message_streams'
local errors, geometry = require 'torch.base.errors', require 'torch.base.geometry'
local buffers, shared = require 'torch.memory.buffers', require 'torch.memory.shared'
local dimension_names = require 'torch.base.dimension_names'
local object_reader, object_writer = require 'torch.io.object_reader', require 'torch.io.object_writer'
local th_struct, references = require 'torch.tensor.th_struct', require 'threads.references'
local stream, types = require 'torch.io.stream', require 'torch.base.types'
local cast, copy = ffi.cast, ffi.copy
local put_int, put_double, get_int, get_double = element_io.put_int, element_io.put_double, element_io.get_int,
   element_io.get_double
local write_bytes, read_bytes = stream.write_bytes, stream.read_bytes
local write, read = object_writer.write_inner, object_reader.read_inner
local of_tensor, of_storage = types.of_tensor, types.of_storage

local message = {}

-- `lane` is 0 for any taker, otherwise its number; `id` is the job's number, `status` its outcome; the addresses of
-- `references` shared buffers follow, then `length` bytes.
ffi.cdef [[
typedef struct t7_Message {
   struct t7_Message *next; double lane, id, status, sender, references, length;
} t7_Message;
]]
message.pointer_ct = ffi.typeof 't7_Message *'
local HEADER = ffi.sizeof 't7_Message'
local pointer_ct, byte_p, double_p = message.pointer_ct, ffi.typeof 'uint8_t *', ffi.typeof 'double *'

-- Tags in addition to those of files, see object_writer.lua.
local STORAGE, TENSOR, REFERENCE, STRUCT, HANDLE, COLLECTION = -1, -2, -3, -4, -5, -6

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

local readers = {}

readers[STORAGE] = function(s, r, index)
   local T = row_at(get_int(s))
   local storage = T.wrap_storage(shared.owner(get_double(s), T))
   r.objects[index] = storage
   return storage
end

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
      if dim > 0 and geometry.laid_out(t) then geometry.lay_out(t) end
   end
   if names then dimension_names.set(t, names) end
   s.tensors[#s.tensors + 1] = t
   return t
end

readers[REFERENCE] = function(s, r, index)
   local kind, name, field = read(s, r), read(s, r), read(s, r)
   local value = references.value(kind, name, field)
   r.objects[index] = value
   return value
end

readers[STRUCT] = function(s, r, index)
   local pointer = read(s, r):cdata()
   r.objects[index] = pointer
   return pointer
end

readers[HANDLE] = function(s, r, index)
   local name = read(s, r)
   local object = require('threads.' .. name).borrow(get_double(s))
   r.objects[index] = object
   return object
end

readers[COLLECTION] = function(s, r, index)
   local name = read(s, r)
   local object = require('tds')._shared(name, get_double(s))
   r.objects[index] = object
   return object
end

-- The tags of values in copying messages, and in sharing ones.
local function tag_of_copied(value, kind)
   if kind == 'table' then
      local metatable = getmetatable(value)
      if metatable and metatable.__handle then return HANDLE, write_handle end
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
      -- The writer identifies storages by their memory, which moves once.
      shared.address(buffers.anchor[value], of_storage(value))
      return STORAGE, write_storage
   end
   if th_struct.objects[value] then return STRUCT, write_struct end
end

local COPIED, SHARED = { tag = tag_of_copied, readers = readers }, { tag = tag_of_shared, readers = readers }

-- Other schemes are modules with functions save(values), which returns a string or a CharStorage, and load(that).
local function saved(scheme, values)
   local bytes = require(scheme).save(values)
   if of_storage(bytes) == types.by_name.Char then bytes = bytes:string() end
   if type(bytes) ~= 'string' then
      errors.raise('threads.serialization: %s.save must return a string or a CharStorage (got %s)', scheme,
         errors.describe(bytes))
   end
   return { n = 3, bytes, scheme, values.n }
end

local function loaded(values)
   local result = require(values[2]).load(values[1])
   result.n = values[3]
   return result
end

local BY_NAME = {}
for name, how in next, { serialize = COPIED, serialization = COPIED, sharedserialize = SHARED } do
   BY_NAME['threads.' .. name] = how
end
function message.is_scheme(name) return BY_NAME[name] ~= nil end

local function release_all(held)
   for i = 1, #held do shared.release(held[i]) end
end

local function allocate(s)
   local bytes, held = s.limit, s.held
   local m = cast(pointer_ct, libc.t7_malloc(HEADER + 8 * #held + bytes))
   if cast('intptr_t', m) == 0 then errors.raise('threads: out of memory: cannot allocate %.0f bytes', bytes) end
   m.lane, m.id, m.status, m.sender, m.references, m.length = 0, 0, 0, 0, #held, bytes
   local addresses = cast(double_p, cast(byte_p, m) + HEADER)
   for i = 1, #held do addresses[i - 1] = held[i] end
   copy(addresses + #held, s.data, bytes)
   return m
end

-- Returns a message of values, { n = count, ... }, by a scheme, and a list of the tensors in it that share.
function message.pack(scheme, values)
   references.refresh()
   local how = BY_NAME[scheme]
   if not how then
      values = saved(scheme, values)
      how = COPIED
   end
   local s, tensors = message_streams.writer(), {}
   s.sharing, s.tensors = how, tensors
   put_int(s, BY_NAME[scheme] and 0 or 1)
   local fine, caught = pcall(object_writer.write_list, s.file, s, values)
   local m
   if fine then fine, m = pcall(allocate, s) end
   if not fine then
      local held = s.held
      message_streams.discard(s)
      release_all(held)
      error(caught or m, 0)
   end
   message_streams.end_writing(s)
   return m, tensors
end

-- Frees a message.
function message.free(m)
   local addresses = cast(double_p, cast(byte_p, m) + HEADER)
   for i = 0, m.references - 1 do shared.release(addresses[i]) end
   libc.t7_free(m)
end

function message.address(m) return (tonumber(cast('intptr_t', m))) end

function message.at(address) return cast(pointer_ct, cast('intptr_t', address)) end

-- Frees the contents of a store with it.
function shared.drop(number)
   local item, count = host.store_drop(number)
   for i = 0, count - 1 do message.free(message.at(host.store_item(item, i))) end
end

-- Returns the values of a message, { n = count, ... }, and a list of the tensors in it that share; or false and the
-- error.
local function values_of(m)
   local s, tensors = message_streams.reader(cast(byte_p, m) + HEADER + 8 * m.references, m.length), {}
   s.sharing, s.tensors = SHARED, tensors
   local is_saved = get_int(s) == 1
   local fine, values = pcall(object_reader.read_list, s.file, s)
   if not fine then
      message_streams.discard(s)
      return false, values
   end
   message_streams.end_reading(s)
   return is_saved and loaded(values) or values, tensors
end

-- The values of a message, which is kept.
function message.peek(m)
   local values, reason = values_of(m)
   if not values then error(reason, 0) end
   return values
end

-- The values of a message, and the list of tensors that share. Frees the message.
function message.unpack(m)
   local values, tensors = values_of(m)
   message.free(m)
   if not values then error(tensors, 0) end
   return values, tensors
end

-- The text of a failure, as the handler of shell.traceback describes it: the message and where it came from.
function message.of_failure(record)
   if type(record) ~= 'table' then return tostring(record) end
   local trace = record.traceback
   return tostring(record.message) .. (trace and trace ~= '' and '\nstack traceback:\n' .. trace or '')
end

-- Programs create messages by the million, like tensors.
require('torch.memory.collector').start()

return message

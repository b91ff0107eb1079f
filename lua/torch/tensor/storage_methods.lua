-- Storages of one element type: constructors and methods. Specialised per type.
-- See docs/decisions/0003-storages-are-handles.md.

return function(T)

local rawequal, tonumber, tostring, type = rawequal, tonumber, tostring, type
local ffi = require 'ffi'
local errors, host = require 'torch.base.errors', require 'torch.native.host'
local buffers, tensor_text = require 'torch.memory.buffers', require 'torch.tensor.tensor_text'
local collector = require 'torch.memory.collector'
local types = require 'torch.base.types'
local clean, element = require('torch.loops.nan_payloads').clean, require 'torch.loops.element'
local parallel_copy = require 'torch.parallel.parallel_copy'
local th_struct = require 'torch.tensor.th_struct'
local anchor = buffers.anchor
local read_on_host = require('torch.memory.device_buffers').read_on_host
local cast, copy, istype, new_string = ffi.cast, ffi.copy, ffi.istype, ffi.string
local storage_ct, pointer_ct = T.storage_ct, T.pointer_ct
local name, size_of = T.storage_name, T.size
local get, set = element.getter(T), element.setter(T)
local floor = math.floor

-- The number to store for a value; nil if there is none.
local function convert(value)
   if T.integer and type(value) == 'string' then return element.integer_of(value) end
   return element.convert(value)
end

local storage_methods = {}

-- A handle to a buffer. Handles are equal if they share the buffer.
local function wrap(owner, header)
   local storage = storage_ct()
   storage._memory = header or owner._header
   anchor[storage] = owner
   return storage
end
T.wrap_storage = wrap

local function check_self(storage, method)
   if not istype(storage_ct, storage) then errors.argument_error(method, 0, 'a ' .. name, storage) end
   return storage._memory
end

local function check_count(method, n, value)
   local count = errors.integer(method, n, value)
   if count < 0 then errors.argument(method, n, 'must be a size of at least 0 (got %.0f)', count) end
   return count
end

local function from_table(list)
   local count = #list
   local owner = buffers.new(T, count)
   local data = owner._header._data
   for i = 1, count do
      local value = list[i]
      value = (type(value) == 'number' or type(value) == 'string') and tonumber(value) or nil
      if value == nil then
         errors.raise('%s: element %d of the table must be a number (got %s)', name, i, errors.describe(list[i]))
      end
      set(data, i - 1, value)
   end
   return wrap(owner)
end

local function view(source, offset, count)
   local from = source._memory
   offset = offset == nil and 1 or errors.integer(name, 2, offset)
   if offset < 1 or offset > from._size then
      errors.raise('%s: offset %.0f out of bounds of a storage of size %.0f', name, offset, from._size)
   end
   count = count == nil and from._size - offset + 1 or errors.integer(name, 3, count)
   if count < 1 or offset - 1 + count > from._size then
      errors.raise('%s: %.0f elements from position %.0f out of bounds of a storage of size %.0f', name,
         count, offset, from._size)
   end
   buffers.expose(from)
   return wrap(buffers.foreign(T, from._data + (offset - 1), count, anchor[source]))
end

local function check_flag(n, value)
   if type(value) ~= 'nil' and type(value) ~= 'boolean' then errors.argument_error(name, n, 'a boolean', value) end
end

local function map_file(path, shared, count, in_memory)
   check_flag(2, shared)
   check_flag(4, in_memory)
   count = count == nil and -1 or errors.integer(name, 3, count)
   local address, elements, keeper = host.map_file(path, shared and true or false, count, size_of,
      in_memory and true or false)
   if not address then errors.raise('%s: %s', name, elements) end
   local data = cast(pointer_ct, cast('intptr_t', address))
   -- A shared mapping is the file itself: its bits stay, and reads of single elements are safe.
   if not shared then clean(T, data, elements) end
   collector.shared_memory = collector.shared_memory or in_memory
   return wrap(buffers.foreign(T, data, elements, keeper))
end

-- Constructs from: nothing; a size; a table; a storage, offset and size; the name of a file to map, whether it is
-- shared (written back), its size in elements, and whether it is in shared memory.
function storage_methods.new(first, second, third, fourth, fifth)
   -- An allocator may precede the other arguments.
   if type(first) == 'table' and first.__allocator then first, second, third, fourth = second, third, fourth, fifth end
   local kind = type(first)
   if kind == 'nil' then return wrap(buffers.new(T, 0)) end
   if kind == 'number' then
      if type(second) ~= 'nil' then errors.argument_error(name, 2, 'left out: raw pointers are unsupported', second) end
      return wrap(buffers.new(T, check_count(name, 1, first)))
   end
   if kind == 'table' then return from_table(first) end
   if kind == 'string' then return map_file(first, second, third, fourth) end
   if istype(storage_ct, first) then return view(first, second, third) end
   errors.argument_error(name, 1, 'a number, string, table or ' .. name, first)
end

function storage_methods.size(storage) return check_self(storage, 'size')._size end

function storage_methods.elementSize() return size_of end

function storage_methods.resize(storage, count)
   check_self(storage, 'resize')
   buffers.resize(anchor[storage], T, check_count('resize', 1, count))
   return storage
end

function storage_methods.fill(storage, value)
   local object = check_self(storage, 'fill')
   local data = object._data
   local number = convert(value)
   if number == nil then errors.argument_error('fill', 1, 'a number', value) end
   for i = 0, object._size - 1 do set(data, i, number) end
   return storage
end

function storage_methods.copy(storage, source)
   local object = check_self(storage, 'copy')
   local S = types.of_storage(source)
   if not S then errors.argument_error('copy', 1, 'a torch.*Storage', source) end
   if S.base then read_on_host(source) end
   local from = source._memory
   if from._size ~= object._size then
      errors.raise('copy: a storage of %.0f elements cannot take %.0f', object._size, from._size)
   end
   parallel_copy.elements(T, object._data, 1, S, from._data, 1, object._size)
   return storage
end

function storage_methods.totable(storage)
   local object = check_self(storage, 'totable')
   local data, list = object._data, {}
   for i = 1, object._size do list[i] = get(data, i - 1) end
   return list
end

function storage_methods.data(storage, as_number)
   local object = check_self(storage, 'data')
   if object._size == 0 then return nil end
   buffers.expose(object)
   local pointer = cast(pointer_ct, object._data)
   if as_number then return (cast('intptr_t', pointer)) end
   anchor[pointer] = anchor[storage]
   return pointer
end

-- Torch7's C struct of the storage.
function storage_methods.cdata(storage)
   check_self(storage, 'cdata')
   return th_struct.of_storage(storage)
end

-- Lua's collector manages references; scripts that count them by hand have nothing to do.
function storage_methods.retain(storage) check_self(storage, 'retain') end
function storage_methods.free(storage) check_self(storage, 'free') end

if size_of == 1 then
   -- Without an argument the bytes as a string; with one, takes its bytes as the contents.
   function storage_methods.string(storage, text)
      local object = check_self(storage, 'string')
      if type(text) == 'nil' then
         return object._size == 0 and '' or new_string(cast('const char *', object._data), object._size)
      end
      if type(text) == 'number' then text = tostring(text) end
      if type(text) ~= 'string' then errors.argument_error('string', 1, 'a string', text) end
      buffers.resize(anchor[storage], T, #text)
      copy(object._data, text, #text)
      return storage
   end
end

function storage_methods.__tostring__(storage)
   check_self(storage, '__tostring__')
   return tensor_text.storage(storage)
end

function storage_methods.__len__(storage) return check_self(storage, '__len__')._size end

local function position(storage, key)
   local object = storage._memory
   local index = floor(key)
   if not (index >= 1 and index <= object._size) then
      errors.raise('%s: index %s is out of bounds: the size is %.0f', name, tostring(key), object._size)
   end
   return index - 1
end

local metatable = {}

function metatable.__index(storage, key)
   if type(key) == 'number' then
      local object = storage._memory
      local index = floor(key)
      if index >= 1 and index <= object._size then return get(object._data, index - 1) end
      position(storage, key)
   end
   local method = T.storage_methods[key]
   if method == nil and tonumber(key) then return get(storage._memory._data, position(storage, tonumber(key))) end
   return method
end

function metatable.__newindex(storage, key, value)
   local number = tonumber(key)
   if number == nil then errors.raise('the class %s cannot be indexed by %s', name, tostring(key)) end
   local index = position(storage, number)
   if type(value) ~= 'number' then
      local converted = convert(value)
      if converted == nil then
         errors.raise('%s: element %s must be a number (got %s)', name, tostring(key), errors.describe(value))
      end
      value = converted
   end
   set(storage._memory._data, index, value)
end

-- Torch7's names for both. The test whether the key selects elements comes last.
local read, write = metatable.__index, metatable.__newindex
function storage_methods.__index__(storage, key)
   check_self(storage, '__index__')
   if type(key) == 'string' then return false end
   return read(storage, key), true
end

function storage_methods.__newindex__(storage, key, value)
   check_self(storage, '__newindex__')
   write(storage, key, value)
   return true
end

function metatable.__len(storage) return storage._memory._size end

function metatable.__tostring(storage) return T.storage_methods.__tostring__(storage) end

function metatable.__eq(a, b)
   if not (istype(storage_ct, a) and istype(storage_ct, b)) then return false end
   return rawequal(a, b) or a._memory == b._memory
end

require('torch.tensor.undefined_operators').add(metatable)
T.storage_operators = types.metatype(storage_ct, metatable)

return storage_methods

end

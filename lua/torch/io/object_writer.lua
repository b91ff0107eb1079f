-- Writing objects in the format of .t7 files. Messages between threads have further negative tags: `sharing` of their
-- stream has the function tag(object, kind), which gives the tag and writer of an object, and the table `readers`.

local ffi = require 'ffi'
local class_registry, element_io = require 'torch.base.class_registry', require 'torch.io.element_io'
local file, library_functions = require 'torch.io.file', require 'torch.io.library_functions'
local check, errors = require 'torch.base.check', require 'torch.base.errors'
local key_order = require 'torch.base.key_order'
local lazy_functions, stubs = require 'torch.io.lazy_functions', require 'torch.language.stubs'
local object_format, stream = require 'torch.io.object_format', require 'torch.io.stream'
local tensor_names, types = require 'torch.io.tensor_names', require 'torch.base.types'
local read_on_host = require('torch.memory.device_buffers').read_on_host
local address_of = require('torch.native.native').address_of
local globals, next, pcall, rawget, tostring, type = _G, next, pcall, rawget, tostring, type
local put_int, put_long, put_double = element_io.put_int, element_io.put_long, element_io.put_double
local cast, copy, int_p = ffi.cast, ffi.copy, ffi.typeof 'int32_t *'
local put_elements, write_bytes = element_io.write, stream.write_bytes
local of_tensor, of_storage, Long = types.of_tensor, types.of_storage, types.by_name.Long
local raise, on_new_stack = object_format.raise, object_format.on_new_stack
local MAX_DEPTH, STEP = object_format.MAX_DEPTH, object_format.STEP
local NIL, NUMBER, STRING = object_format.NIL, object_format.NUMBER, object_format.STRING
local TABLE, TORCH = object_format.TABLE, object_format.TORCH
local BOOLEAN, FUNCTION = object_format.BOOLEAN, object_format.FUNCTION

local object_writer = {}

-- The write method of a class; nil if its fields are written.
local function method_of(object)
   local methods = class_registry.methods_of(object)
   return methods and (methods.__write or methods.write)
end

-- The tag of an object, nil if it cannot be written.
local function tag_of(object)
   local kind = type(object)
   if kind == 'nil' then return NIL end
   if kind == 'number' then return NUMBER end
   if kind == 'string' then return STRING end
   if kind == 'boolean' then return BOOLEAN end
   if kind == 'function' then return pcall(string.dump, object) and FUNCTION or nil end
   if kind == 'table' then return class_registry.typename(object) and TORCH or TABLE end
   if of_tensor(object) or of_storage(object) or method_of(object) then return TORCH end
   return nil
end
object_writer.tag_of = tag_of

-- The path of the object that is being written: <name>.field.field
local function path_of(w)
   local parts = { '<' .. tostring(w.name) .. '>' }
   for i = 1, w.depth do parts[i + 1] = tostring(w.path[i]) end
   return table.concat(parts, '.')
end

-- A length and its bytes. Those of a binary file that fit into its window, as nearly all do, need no calls.
local function put_string(s, text)
   local length, pos = #text, s.pos
   if s.binary and not s.swap and pos + 4 + length <= s.write_limit then
      local start = s.data + pos
      cast(int_p, start)[0] = length
      copy(start + 4, text, length)
      pos = pos + 4 + length
      s.pos = pos
      if pos > s.limit then s.limit = pos end
      return
   end
   put_int(s, length)
   write_bytes(s, text, length)
   if not s.binary and s.spacing and length > 0 then write_bytes(s, '\n', 1) end
end

-- Assigns a number to a new object.
local function new_index(s, w, object, is_storage)
   local index = w.count + 1
   w.count = index
   if not s.unreferenced then
      if is_storage then
         w.storages[address_of(object._memory)] = index
         -- The object is kept, since its address identifies it only while it is alive.
         w.kept[#w.kept + 1] = object
      else
         w.indices[object] = index
      end
   end
   put_int(s, index)
end

local function known_index(s, w, object, is_storage)
   if s.unreferenced then return nil end
   if is_storage then return w.storages[address_of(object._memory)] end
   return w.indices[object]
end

local write

local function write_at(s, w, key, value)
   local depth = w.depth + 1
   w.depth = depth
   w.path[depth] = key
   write(s, w, value)
   w.depth = depth - 1
end

local function write_table(s, w, object)
   if object == globals or object == globals.torch then
      raise('Unwritable object <table> at %s: it is the table of all %s', path_of(w),
         object == globals and 'globals' or 'functions of torch')
   end
   local count, keys = key_order.of(object)
   put_int(s, count)
   if not keys then
      for key, value in next, object do
         write_at(s, w, key, key)
         write_at(s, w, key, value)
      end
      return
   end
   for i = 1, count do
      local key = keys[i]
      write_at(s, w, key, key)
      write_at(s, w, key, rawget(object, key))
   end
end

-- The number of an upvalue in this file, by which a reader recognizes upvalues that several functions share.
local function upvalue_number(w, reference)
   if not w.upvalues[reference] then
      w.upvalue_count = w.upvalue_count + 1
      w.upvalues[reference] = w.upvalue_count
   end
   return w.upvalues[reference]
end

-- Has string.dump write the constants of tables in one order. An older LuaJIT takes the mode for `strip`.
local MODE = #string.dump(put_string, 'd') == #string.dump(put_string) and 'd' or nil

-- The bytecode of a function and the upvalue i of it: name, value, and what is equal for shared ones.
local function parts_of(object)
   local record = stubs.record(object)
   if record and not record.f then
      local cells = record.cells
      return record.code, #cells, function(i) return cells[i].name or '', lazy_functions.value_of(cells[i]) end
   end
   object = stubs.real(object)
   local code = string.dump(object, MODE)
   if library_functions.is_code(code) then
      object = library_functions.by_name(object) or object
      code = string.dump(object, MODE)
   end
   local count = 0
   while debug.getupvalue(object, count + 1) do count = count + 1 end
   return code, count, function(i)
      local name, value = debug.getupvalue(object, i)
      return name, value, debug.upvalueid(object, i)
   end
end

-- A function is its bytecode and a list of its upvalues, tables with the fields `name`, `id` and `value`.
local function write_function(s, w, object)
   local code, count, upvalue = parts_of(object)
   put_string(s, code)
   put_int(s, TABLE)
   new_index(s, w, {})
   put_int(s, count)
   for i = 1, count do
      local name, value, reference = upvalue(i)
      put_int(s, NUMBER)
      put_double(s, i)
      put_int(s, TABLE)
      new_index(s, w, {})
      put_int(s, value == nil and 2 or 3)
      write(s, w, 'name')
      write(s, w, name)
      write(s, w, 'id')
      write(s, w, upvalue_number(w, reference))
      if value ~= nil then
         write(s, w, 'value')
         write_at(s, w, name, value)
      end
   end
end
object_writer.write_function = write_function

local function write_storage(s, T, object)
   if T.base then read_on_host(object) end
   local n = object._memory._size
   put_long(s, n)
   put_elements(s, T, object._memory._data, n)
end

local function put_longs(s, values, count)
   local longs = ffi.new('int64_t[?]', count)
   for i = 0, count - 1 do longs[i] = values[i] end
   put_elements(s, Long, longs, count)
end

local function write_tensor(s, w, T, object)
   local dim = object._dim
   put_int(s, dim)
   put_longs(s, object._size, dim)
   put_longs(s, object._stride, dim)
   put_long(s, object._offset + 1)
   write(s, w, T.tensor_methods.storage(object))
end

-- The fields that can be written; a warning is printed for the others.
local function writable_fields(w, object)
   local fields = {}
   for key, value in key_order.pairs(object) do
      if tag_of(value) then
         fields[key] = value
      else
         globals.print(errors.plain(string.format('$ Warning: cannot write object field <%s> of <%s> %s', tostring(key),
            class_registry.typename(object), path_of(w))))
      end
   end
   return fields
end

local function write_torch(s, w, object)
   local tensor = type(object) == 'cdata' and of_tensor(object)
   local storage = not tensor and type(object) == 'cdata' and of_storage(object)
   local name = tensor and tensor.tensor_name or storage and storage.storage_name or class_registry.typename(object)
   local methods = class_registry.metatable(name)
   put_string(s, 'V ' .. tostring(methods.__version))
   put_string(s, name)
   if tensor then
      tensor_names.note(w, object)
      return write_tensor(s, w, tensor, object)
   end
   if storage then return write_storage(s, storage, object) end
   local method = methods.__write or methods.write
   if not method then return write(s, w, writable_fields(w, object)) end
   s.lent = true
   method(object, w.file)
   if s.closed then raise('writeObject: the write method of %s closed the file', name) end
end

-- Identifies objects. A hook's replacement takes the identity of the object it replaces: one object is one in the file.
local function identity_of(original, object)
   local kind = type(original)
   local is_object = kind ~= 'number' and kind ~= 'boolean' and kind ~= 'nil'
   return is_object and original or object
end

function write(s, w, object)
   local known = object
   if w.hook then
      object = w.hook(object)
      known = identity_of(known, object)
   end
   local kind = type(object)
   if kind == 'number' then
      put_int(s, NUMBER)
      put_double(s, object)
   elseif kind == 'string' then
      put_int(s, STRING)
      put_string(s, object)
   elseif kind == 'nil' then
      put_int(s, 0)
   elseif kind == 'boolean' then
      put_int(s, BOOLEAN)
      put_int(s, object and 1 or 0)
   else
      local tag, contents
      if s.sharing then tag, contents = s.sharing.tag(object, kind) end
      if not tag then tag = tag_of(object) end
      if not tag then
         raise('Unwritable object <%s> at %s', kind == 'function' and 'function of C'
            or class_registry.type(object), path_of(w))
      end
      put_int(s, tag)
      local is_storage = type(known) == 'cdata' and of_storage(known) ~= nil
      local index = known_index(s, w, known, is_storage)
      if index then
         put_int(s, index)
         return
      end
      new_index(s, w, known, is_storage)
      contents = contents or tag == TABLE and write_table or tag == TORCH and write_torch or write_function
      local depth = w.depth
      if depth == 0 or depth % STEP ~= 0 then
         contents(s, w, object)
      else
         if depth > MAX_DEPTH then
            raise('%s...: objects nested more than %d deep', string.sub(path_of(w), 1, 60), MAX_DEPTH)
         end
         on_new_stack(contents, s, w, object)
      end
   end
end

local function attempt(object_file, s, f, object, name, hook)
   local w = s.writer
   if not w then
      w = { count = 0, indices = {}, storages = {}, kept = {}, path = {}, depth = 0, upvalues = {},
         upvalue_count = 0 }
      s.writer = w
   end
   local outer = w.active and w.hook
   if not w.active then w.depth, w.name = 0, name or '?' end
   w.hook = hook or outer
   local ok, caught = object_format.attempt(w, object_file, f, s, object)
   w.hook = outer
   return ok, caught
end

-- Writes a part of another object, for tags with separate contents.
object_writer.write_inner = write

-- Writes an object to a file and its stream. `name` is for messages; `hook` returns the replacement of each object.
function object_writer.write(object_file, s, object, name, hook)
   if hook then check.callable('writeObject', 'the hook', hook) end
   object_format.settled(attempt(object_file, s, write, object, name, hook))
end

local function write_list(s, w, values)
   put_int(s, values.n)
   for i = 1, values.n do write_at(s, w, i, values[i]) end
end

-- Writes a list of values, { n = count, ... }, for object_reader.read_list.
function object_writer.write_list(object_file, s, values)
   object_format.settled(attempt(object_file, s, write_list, values))
end

-- Returns status and results as pcall does.
function object_writer.attempt(object_file, s, object)
   return attempt(object_file, s, write, object)
end

local function write_contents(s, w, object)
   local T = of_storage(object)
   if T then return write_storage(s, T, object) end
   write_tensor(s, w, of_tensor(object), object)
end

-- Writes an object without its class, as tensor:write(file) and storage:write(file) do.
function object_writer.write_contents(object_file, object)
   object_format.settled(attempt(object_file, file.writable(object_file, 'write'), write_contents, object))
end

return object_writer

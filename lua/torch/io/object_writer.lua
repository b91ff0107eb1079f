-- Writing objects in the format of .t7 files. Messages between threads have further negative tags: `sharing` of their
-- stream has the function tag(object, kind), which gives the tag and writer of an object, and the table `readers`.

local class_registry, check = require 'torch.base.class_registry', require 'torch.base.check'
local errors, key_order = require 'torch.base.errors', require 'torch.base.key_order'
local file, function_format = require 'torch.io.file', require 'torch.io.function_format'
local object_format, tensor_format = require 'torch.io.object_format', require 'torch.io.tensor_format'
local types = require 'torch.base.types'
local anchor, istype = require('torch.memory.buffers').anchor, require('ffi').istype
local globals, next, pcall, rawget, tostring, type = _G, next, pcall, rawget, tostring, type
local put_int, put_double, put_string = object_format.put_int, object_format.put_double, object_format.put_string
local of_tensor, of_storage, typename = types.of_tensor, types.of_storage, class_registry.typename
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
   if kind == 'table' then return typename(object) and TORCH or TABLE end
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

-- The table of the indices of objects of this kind, and the object's key in it. Storages are handles: those of one
-- memory are one object in the file, which is identified by the owner of the memory.
local function identity_of(w, object)
   if type(object) == 'cdata' and of_storage(object) then return w.storages, anchor[object] end
   return w.indices, object
end

-- Assigns the next index to a new object, and writes it.
local function add(s, w, indices, key)
   local index = w.count + 1
   w.count = index
   if not s.unreferenced then indices[key] = index end
   put_int(s, index)
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

-- The fields that can be written; a warning is printed for the others.
local function writable_fields(w, object)
   local fields = {}
   for key, value in key_order.pairs(object) do
      if tag_of(value) then
         fields[key] = value
      else
         globals.print(errors.plain(string.format('$ Warning: cannot write object field <%s> of <%s> %s', tostring(key),
            typename(object), path_of(w))))
      end
   end
   return fields
end

-- Writes version and name of a class; returns its methods.
local function put_class(s, name)
   local methods = class_registry.metatable(name)
   put_string(s, 'V ' .. tostring(methods.__version))
   put_string(s, name)
   return methods
end

-- Writes an object of a class; T is the row of a tensor or a storage.
local function write_torch(s, w, object, T)
   if T then
      local is_tensor = istype(T.tensor_ct, object)
      put_class(s, is_tensor and T.tensor_name or T.storage_name)
      if is_tensor then tensor_format.note_names(w, object) end
      return tensor_format.write(s, w, T, object)
   end
   local name = typename(object)
   local methods = put_class(s, name)
   local method = methods.__write or methods.write
   if not method then return write(s, w, writable_fields(w, object)) end
   s.lent = true
   method(object, w.file)
   if s.closed then raise('writeObject: the write method of %s closed the file', name) end
end

function write(s, w, object)
   local known = object
   if w.hook then
      object = w.hook(object)
      -- The replacement takes the identity of the object that it replaces: one object is one in the file.
      local original = type(known)
      if original == 'number' or original == 'boolean' or original == 'nil' then known = object end
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
      local T = kind == 'cdata' and (of_tensor(object) or of_storage(object)) or nil
      if not tag then tag = T and TORCH or tag_of(object) end
      if not tag then
         raise('Unwritable object <%s> at %s', kind == 'function' and 'function of C'
            or class_registry.type(object), path_of(w))
      end
      put_int(s, tag)
      local indices, key = identity_of(w, known)
      local index = not s.unreferenced and indices[key]
      if index then
         put_int(s, index)
         return
      end
      add(s, w, indices, key)
      contents = contents or tag == TABLE and write_table or tag == TORCH and write_torch or function_format.write
      local depth = w.depth
      if depth == 0 or depth % STEP ~= 0 then
         contents(s, w, object, T)
      else
         if depth > MAX_DEPTH then
            raise('%s...: objects nested more than %d deep', string.sub(path_of(w), 1, 60), MAX_DEPTH)
         end
         on_new_stack(contents, s, w, object, T)
      end
   end
end

local function attempt(object_file, s, f, object, name, hook)
   local w = s.writer
   if not w then
      w = { count = 0, indices = {}, storages = {}, path = {}, depth = 0, upvalues = {}, upvalue_count = 0,
         write = write, write_at = write_at, add = add }
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
   tensor_format.write(s, w, of_tensor(object) or of_storage(object), object)
end

-- Writes an object without its class, as tensor:write(file) and storage:write(file) do.
function object_writer.write_contents(object_file, object)
   object_format.settled(attempt(object_file, file.writable(object_file, 'write'), write_contents, object))
end

return object_writer

-- Reading objects from files, which are not trusted, see object_format.lua.

local class_packages, class_registry = require 'torch.io.class_packages', require 'torch.base.class_registry'
local errors, file = require 'torch.base.errors', require 'torch.io.file'
local function_format = require 'torch.io.function_format'
local object_format, tensor_format = require 'torch.io.object_format', require 'torch.io.tensor_format'
local types = require 'torch.base.types'
local here, found, raise_at = object_format.here, object_format.found, object_format.raise_at
local int, double, text = object_format.int, object_format.double, object_format.text
local check_remaining, report = object_format.check_remaining, object_format.report
local get_int, on_new_stack = object_format.get_int, object_format.on_new_stack
local MAX_DEPTH, STEP = object_format.MAX_DEPTH, object_format.STEP
local getinfo = debug.getinfo
local error, next, pcall, tonumber, tostring, type = error, next, pcall, tonumber, tostring, type

local object_reader = {}

-- Restrictions while `object_reader.guarded` runs.
local guard

local function hint(name)
   name = string.sub(name, 1, 100)
   local package = string.match(name, '^([^.]*)%.')
   local keep = "; torch.load(path, { unknown = 'keep' }) reads the rest"
   if package then return string.format("require '%s', or whatever defines it, before loading%s", package, keep) end
   return string.format("a program that defines it by torch.class('%s') must run before loading%s", name, keep)
end

-- The path of the object that is being read: '[1].modules[3]'.
local function path_of(r)
   local parts = {}
   for i = 1, r.inside do
      local key = r.keys[i]
      if type(key) == 'string' and string.find(key, '^[%a_][%w_]*$') then
         parts[i] = '.' .. key
      else
         parts[i] = string.format(type(key) == 'string' and '[%q]' or '[%s]', tostring(key))
      end
   end
   return #parts > 0 and string.sub(table.concat(parts), 1, 200) or 'the top'
end

local read

local function read_fields(s, r, object, name)
   local at = here(s)
   local fields = read(s, r)
   if type(fields) ~= 'table' then
      raise_at(s, at, 'the fields of a %s must be a table (got %s)', name, class_registry.type(fields))
   end
   for key, value in next, fields do object[key] = value end
   return object
end

-- Reads an object of an unknown class as a table of its fields, with the name of the class in __typename.
local function read_unknown(s, r, index, name)
   local object = { __typename = name }
   r.objects[index] = object
   return read_fields(s, r, object, name)
end

-- An error of a read method as a fault at the byte where the contents of the object begin. Errors that do not come from
-- the contents are unchanged.
local function raise_in_method(s, r, at, name, method, why)
   if type(why) ~= 'string' or string.find(why, 'not enough memory', 1, true)
      or string.find(why, 'stack overflow', 1, true) then
      error(why, 0)
   end
   why = errors.without_position(why)
   if string.sub(why, 1, #s.name + 2) == s.name .. ': ' then why = string.sub(why, #s.name + 3) end
   if errors.is_library(getinfo(method, 'S').source) then
      if r.other_at == at then raise_at(s, at, 'the fields of a %s must be a table (got %s)', name, r.other) end
      local position, words = string.match(why, '^([^\n]-%.lua):%d+: (.*)$')
      if position and errors.is_library('@' .. position) then why = words end
   end
   raise_at(s, at, 'cannot read a %s: %s', name, why)
end

local function read_by_method(s, r, object, name, method, version)
   local at = here(s)
   local ok, why = pcall(method, object, r.file, version)
   if not ok then raise_in_method(s, r, at, name, method, why) end
end

-- Reads an object of a class. It is registered in `objects` before its contents are read, since they may refer to it.
local function read_torch(s, r, index)
   local at = here(s)
   local name = text(s, 'version of an object')
   -- The oldest files have no versions.
   local version = tonumber(string.match(name, '^V (%d+)$'))
   if version then name = text(s, 'name of a class') else version = 0 end
   local T = types.by_typename[name]
   if T then
      if T.storage_name == name then
         local storage = tensor_format.read_storage(s, T)
         r.objects[index] = storage
         return storage
      end
      local tensor = T.new_tensor()
      r.objects[index] = tensor
      return tensor_format.read_tensor(s, r, T, tensor)
   end
   if r.guard and not r.guard.allows(name) then
      raise_at(s, at, "class '%s' at %s is not allowed", string.sub(name, 1, 100), path_of(r))
   end
   local factory = class_packages.factory(name)
   if not factory then
      if s.keep_unknown then return read_unknown(s, r, index, name) end
      raise_at(s, at, "unknown class '%s' at %s: %s", string.sub(name, 1, 100), path_of(r), hint(name))
   end
   s.lent = true
   local object = factory(r.file)
   r.objects[index] = object
   local methods = class_registry.methods_of(object)
   local method = methods and (methods.__read or methods.read)
   if method then
      read_by_method(s, r, object, name, method, version)
      if s.closed then raise_at(s, at, 'the read method of %s closed the file', name) end
      return object
   end
   return read_fields(s, r, object, name)
end

local function read_table(s, r, index)
   report(s)
   local at = here(s)
   local count = int(s, 'number of entries of a table')
   -- An entry takes at least the bytes of a boolean as key and a nil as value.
   check_remaining(s, at, count, count * (s.binary and 12 or 6), 'number of entries of a table')
   local object = {}
   r.objects[index] = object
   local inside = r.inside + 1
   for _ = 1, count do
      local key_at = here(s)
      local key = read(s, r)
      if type(key) == 'nil' or key ~= key then raise_at(s, key_at, 'a key of a table must not be %s', tostring(key)) end
      r.inside, r.keys[inside] = inside, key
      object[key] = read(s, r)
      r.inside = inside - 1
   end
   return object
end

local function read_function(s, r, index, tag)
   return function_format.read(s, r, index, tag, s.sharing ~= nil)
end

-- Reads a function in a message between threads whose bytecode comes from a file, and is not trusted.
function object_reader.read_held(s, r, index)
   return function_format.read(s, r, index, object_format.FUNCTION, false)
end

local readers = {
   [object_format.TABLE] = read_table, [object_format.TORCH] = read_torch,
   [object_format.FUNCTION] = read_function, [object_format.OLD_FUNCTION] = read_function,
}

function read(s, r)
   local at = here(s)
   local tag = get_int(s)
   if tag == object_format.NUMBER then
      return double(s, 'number')
   elseif tag == object_format.STRING then
      return text(s, 'string')
   elseif tag == object_format.BOOLEAN then
      local value_at = here(s)
      local value = int(s, '0 or 1')
      if value ~= 0 and value ~= 1 then raise_at(s, value_at, 'a boolean must be 0 or 1 (got %.0f)', value) end
      return value == 1
   elseif tag == object_format.NIL then
      return nil
   elseif tag == nil then
      object_format.unreadable(s, at, 'the type of an object must be a number from 0 to 8 (got %s)', found(s))
   elseif tag == object_format.PLAIN_FUNCTION then
      return read_function(s, r, nil, tag)
   elseif tag > 8 or tag < 0 and not (s.sharing and s.sharing.readers[tag]) then
      raise_at(s, at, 'the type of an object must be a number from 0 to 8 (got %.0f)', tag)
   end
   local index = int(s, 'index of an object')
   local known = r.objects[index]
   if type(known) ~= 'nil' and not s.unreferenced then return known end
   local depth = r.depth + 1
   r.depth = depth
   local contents = readers[tag] or s.sharing.readers[tag]
   local object
   if depth % STEP ~= 0 then
      object = contents(s, r, index, tag)
   else
      if depth > MAX_DEPTH then raise_at(s, at, 'objects nested more than %d deep', MAX_DEPTH) end
      object = on_new_stack(contents, s, r, index, tag)
   end
   r.depth = depth - 1
   return object
end

-- Reads a part of another object, for tags with separate contents.
object_reader.read_inner = read

local function attempt(object_file, s, f, object)
   local r = s.reader
   if not r then
      r = { objects = {}, depth = 0, upvalues = {}, cells = {}, keys = {}, inside = 0, read = read, path_of = path_of }
      s.reader = r
   end
   if r.active then return object_format.attempt(r, object_file, f, s, object) end
   r.depth, r.inside, r.guard = 0, 0, guard
   local ok, result = object_format.attempt(r, object_file, f, s, object)
   if ok and r.held then function_format.release(r) end
   r.held = nil
   return ok, result
end

-- Calls f(...) while `limits` restrict everything that is read: `allows(name)` tells whether objects of a class may be
-- read, and functions raise `no_functions`, a reason, when they are called.
function object_reader.guarded(limits, f, ...)
   local before = guard
   guard = limits
   local ok, result = pcall(f, ...)
   guard = before
   if not ok then error(result, 0) end
   return result
end

-- Reads an object from a file whose stream is s. On quiet files a fault sets hasError() and gives nil.
function object_reader.read(object_file, s)
   local quiet, at = s.quiet, here(s)
   s.quiet = false
   local ok, object = attempt(object_file, s, read)
   s.quiet = quiet
   if ok then
      local r = s.reader
      -- For the message of a read method that expects a table there.
      if r.active and type(object) ~= 'table' then r.other_at, r.other = at, class_registry.type(object) end
      return object
   end
   if not quiet then object_format.rethrow(object) end
   s.failed = true
   return nil
end

local function read_list(s, r)
   local values = { n = int(s, 'number of values') }
   for i = 1, values.n do values[i] = read(s, r) end
   return values
end

-- Reads what object_writer.write_list has written.
function object_reader.read_list(object_file, s)
   return object_format.settled(attempt(object_file, s, read_list))
end

-- Returns status and results as pcall does.
function object_reader.attempt(object_file, s) return attempt(object_file, s, read) end

-- Reads an object whose class is known, as tensor:read(file) and storage:read(file) do.
function object_reader.read_contents(object_file, object)
   object_format.settled(attempt(object_file, file.readable(object_file, 'read'), tensor_format.read, object))
end

return object_reader

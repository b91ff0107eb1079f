-- Elements that objects of tds may hold: numbers, strings, booleans, tensors, storages and each other. Plain lists
-- become vectors, other tables hashes.

local getfenv, setfenv, concat, min = debug.getfenv, debug.setfenv, table.concat, math.min
local format, gsub, rep = string.format, string.gsub, string.rep
local ipairs, require, tostring, type = ipairs, require, tostring, type
local check, file_formats = require 'torch.base.check', require 'torch.io.file_formats'
local class_registry, errors = require 'torch.base.class_registry', require 'torch.base.errors'
local types, userclass = require 'torch.base.types', require 'torch.class.userclass'

local PLAIN = { number = true, string = true, boolean = true, ['nil'] = true }

-- The number of elements in the text of an object.
local SHOWN = 20

local function is_list(t)
   local count = 0
   for _ in next, t do count = count + 1 end
   return count == #t
end

return function(tds)
   tds._SHOWN = SHOWN

   -- A class, and the function that makes an empty object of it; new_state() is its initial state.
   function tds._class(name, new_state)
      local methods, new = userclass.userdata(name, nil, tds, true)
      local function empty() return setfenv(new(), new_state()) end
      class_registry.show_as_cdata(methods)
      class_registry.register(name, methods, class_registry.constructor(name), empty)
      return methods, empty
   end

   -- Returns the representation in which a value is stored.
   function tds._kept(function_name, value)
      local kind = type(value)
      if PLAIN[kind] or types.of_tensor(value) or types.of_storage(value) then return value end
      local name = class_registry.typename(value)
      if name == 'tds.Hash' or name == 'tds.Vec' then return value end
      if kind == 'table' and not name then return is_list(value) and tds.Vec(value) or tds.Hash(value) end
      errors.raise('%s: value must be a number, string, boolean, tensor, storage, table or object of tds (got %s)',
         function_name, errors.describe(value))
   end

   -- Tensors and objects of tds are keys by their identity, which objects in other threads do not share.
   local function is_object(key)
      local name = class_registry.typename(key)
      return types.of_tensor(key) or name == 'tds.Hash' or name == 'tds.Vec'
   end

   function tds._key(function_name, key, shared)
      local kind = type(key)
      if kind == 'nil' or not PLAIN[kind] and not is_object(key) or kind == 'number' and key ~= key then
         errors.raise('%s: key must be a number, string, boolean, tensor or object of tds (got %s)', function_name,
            kind == 'number' and 'nan' or errors.describe(key))
      end
      if shared and not PLAIN[kind] then
         errors.raise('%s: keys must be numbers, strings or booleans if threads share the hash (got %s)', function_name,
            errors.describe(key))
      end
      return key
   end

   -- The elements of a hash or a vector as a table: the object's own table, unless threads share it.
   function tds._plain(object)
      local state = getfenv(object)
      return state.address and tds._elements(state) or state.values
   end

   -- Sharing between threads is loaded when it is first used.
   for _, name in ipairs { '_share', '_shared', '_add', '_elements' } do
      tds[name] = function(...)
         require 'tds.shared'(tds)
         return tds[name](...)
      end
   end

   -- Defines how objects of a class are in files. entries(object) gives their number and an iterator; put(object, key,
   -- value) adds one. An object that is a number has get(object) and put(object, number).
   function tds._filed(Class, name, entries, put)
      local form = file_formats.of_class[name]
      function Class:write(file)
         check.file(name .. ':write', 'file', file, 'writeObject')
         if form == 'long' then return file:writeLong(entries(self)) end
         local count, step, state, key = entries(self)
         file:writeLong(count)
         for k, value in step, state, key do
            if form == 'pairs' then file:writeObject(k) end
            file:writeObject(value)
         end
      end

      function Class:read(file)
         check.file(name .. ':read', 'file', file, 'readObject')
         if form == 'long' then return put(self, file:readLong()) end
         for i = 1, file:readLong() do
            local key = i
            if form == 'pairs' then key = file:readObject() end
            put(self, key, file:readObject())
         end
      end
   end

   -- The text of an object: a line for each of the first elements, whose further lines are below the first one.
   -- `entry`(i) gives the text of a key, padded, and the value.
   function tds._text(name, count, entry)
      local lines = { format('%s[%d]{', name, count) }
      for i = 1, min(count, SHOWN) do
         local key, value = entry(i)
         key = key .. ' : '
         lines[i + 1] = key .. gsub(tostring(value), '\n([^\n])', '\n' .. rep(' ', #key) .. '%1')
         if i == SHOWN then lines[i + 2] = '...' end
      end
      return concat(lines, '\n') .. '\n}'
   end
end

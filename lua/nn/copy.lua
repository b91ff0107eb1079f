-- Copies of modules and criterions: what is shared inside stays shared inside the copy.

local getmetatable, pairs, setmetatable, type = getmetatable, pairs, setmetatable, type
local torch = require 'torch'

-- Whether a class has its own way to files; then a copy goes through one.
local function writes_itself(object)
   local read, write = object.read, object.write
   local Module = torch.getmetatable 'nn.Module'
   return read ~= nil and read ~= Module.read or write ~= nil and write ~= Module.write or
      object.__read ~= nil or object.__write ~= nil
end

local copy_value

-- Raised, as a value, where a copy goes through a file.
local THROUGH_FILE = {}

local function copy_table(object, seen)
   local class = torch.typename(object)
   if class and writes_itself(object) then return nil, THROUGH_FILE end
   local copied = {}
   seen[object] = copied
   for key, value in pairs(object) do
      local k, v, why
      k, why = copy_value(key, seen)
      if why then return nil, why end
      v, why = copy_value(value, seen)
      if why then return nil, why end
      copied[k] = v
   end
   local metatable = getmetatable(object)
   if class then
      setmetatable(copied, torch.getmetatable(class))
   elseif metatable ~= nil then
      return nil, THROUGH_FILE
   end
   return copied
end

local function copy_storage(storage, seen)
   local key = torch.pointer(storage)
   if not seen[key] then
      local metatable = torch.getmetatable(torch.typename(storage))
      seen[key] = { metatable.new(storage:size()):copy(storage), storage }
   end
   return seen[key][1]
end

local function copy_tensor(t, seen)
   local key = torch.pointer(t)
   if not seen[key] then
      local made = t.new()
      local storage = t:storage()
      if storage then made:set(copy_storage(storage, seen), t:storageOffset(), t:size(), t:stride()) end
      seen[key] = { made, t }
   end
   return seen[key][1]
end

function copy_value(value, seen)
   local kind = type(value)
   if torch.isTensor(value) then return copy_tensor(value, seen) end
   if torch.isStorage(value) then return copy_storage(value, seen) end
   if kind == 'table' then
      if seen[value] then return seen[value] end
      return copy_table(value, seen)
   end
   if kind == 'function' or kind == 'userdata' or kind == 'cdata' or kind == 'thread' then return nil, THROUGH_FILE end
   return value
end

-- A copy of an object with all that is in it. Functions, and classes with their own way to files, are copied
-- as torch.save writes and torch.load reads them.
return function(object)
   local copied, why = copy_value(object, {})
   if why == THROUGH_FILE then return torch.deserialize(torch.serialize(object)) end
   return copied
end

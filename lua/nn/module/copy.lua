-- Deep copies of modules and criterions. Tensors that share memory in the original share memory in the copy.

local torch = require 'torch'

-- Tells whether a class serializes itself: its objects are copied by serialization.
local function writes_itself(object)
   local read, write = object.read, object.write
   local Module = torch.getmetatable 'nn.Module'
   return read ~= nil and read ~= Module.read or write ~= nil and write ~= Module.write or
      object.__read ~= nil or object.__write ~= nil
end

-- Returned as the reason where an object can only be copied by serialization.
local THROUGH_FILE = {}

-- The copy of a table, still empty: `seen.queue` lists the copies to fill, since recursion into graphs of thousands of
-- nodes would overflow the stack.
local function copy_table(object, seen)
   local class, metatable = torch.typename(object), getmetatable(object)
   if not seen.within and (class and writes_itself(object) or not class and metatable ~= nil) then
      return nil, THROUGH_FILE
   end
   local copied = {}
   seen[object] = copied
   seen.queue[#seen.queue + 1] = object
   if class or metatable ~= nil then setmetatable(copied, class and torch.getmetatable(class) or metatable) end
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

local function copy_value(value, seen)
   local kind = type(value)
   if torch.isTensor(value) then return copy_tensor(value, seen) end
   if torch.isStorage(value) then return copy_storage(value, seen) end
   if kind == 'table' then
      if seen[value] then return seen[value] end
      return copy_table(value, seen)
   end
   if kind == 'function' or kind == 'userdata' or kind == 'cdata' or kind == 'thread' then
      if seen.within then return value end
      return nil, THROUGH_FILE
   end
   return value
end

-- Fills the copies of all tables, which may reach others.
local function fill(seen)
   local queue, i = seen.queue, 1
   while queue[i] do
      local object = queue[i]
      local copied = seen[object]
      for key, value in pairs(object) do
         local k, why = copy_value(key, seen)
         if why then return why end
         local v, why_not = copy_value(value, seen)
         if why_not then return why_not end
         rawset(copied, k, v)
      end
      i = i + 1
   end
end

-- A deep copy of an object. Functions, and classes that serialize themselves, are copied as torch.save writes and
-- torch.load reads them. Tensors and tables in the list `kept` are shared with the copy, and so are functions then: a
-- file would break the sharing.
return function(object, kept)
   local seen = { queue = {}, within = kept ~= nil }
   for _, value in ipairs(kept or {}) do
      if torch.isTensor(value) then seen[torch.pointer(value)] = { value, value } else seen[value] = value end
   end
   local copied, why = copy_value(object, seen)
   why = why or fill(seen)
   if why == THROUGH_FILE then return torch.deserialize(torch.serialize(object)) end
   return copied
end

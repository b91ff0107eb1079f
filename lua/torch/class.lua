-- The names of types: which class an object is of, and the metatables that hold a class's methods.
--
-- Classes of cdata (tensors, storages) keep their methods in an ordinary table too, so that programs can
-- look into it and add to it; the ctype's own metatable only forwards there.

local getmetatable, setmetatable, type = getmetatable, setmetatable, type
local types = require 'torch.types'
local of_tensor, of_storage = types.of_tensor, types.of_storage

local class = {}

local metatables = {}       -- typename -> table of methods and metamethods
local names = setmetatable({}, { __mode = 'k' })   -- that table -> typename
local finders = {}          -- further ways to find the class of a cdata: function(object) -> typename or nil
local cdata_classes = {}

-- Registers the methods table of a class.
function class.register(name, metatable)
   metatables[name] = metatable
   names[metatable] = name
end

-- Lets objects of another C type have a class.
function class.add_cdata(name, matches)
   cdata_classes[#cdata_classes + 1] = name
   finders[#finders + 1] = matches
end

local function cdata_name(object)
   local T = of_tensor(object)
   if T then return T.tensor_name end
   T = of_storage(object)
   if T then return T.storage_name end
   for i = 1, #finders do
      if finders[i](object) then return cdata_classes[i] end
   end
end

-- The class name of an object, nil for values of no class.
function class.typename(object)
   local kind = type(object)
   if kind == 'cdata' then return cdata_name(object) end
   if kind == 'table' or kind == 'userdata' then
      local metatable = getmetatable(object)
      return type(metatable) == 'table' and names[metatable] or nil
   end
end

-- torch.type: the class name, or what Lua's type says.
function class.type(object)
   return class.typename(object) or class.lua_type(object)
end

-- Lua's type, except that objects made of cdata are userdata, as they were in Torch7.
function class.lua_type(object)
   local kind = type(object)
   if kind == 'cdata' and cdata_name(object) then return 'userdata' end
   return kind
end

-- The methods table of a class by its name, nil when there is none.
function class.metatable(name)
   return metatables[name]
end

-- Lua's getmetatable, except that objects made of cdata show the methods table of their class.
function class.lua_getmetatable(object)
   if type(object) == 'cdata' then
      local name = cdata_name(object)
      if name then return metatables[name] end
   end
   return getmetatable(object)
end

function class.install(torch)
   torch.typename, torch.type = class.typename, class.type
   torch.getmetatable = class.metatable
end

return class

-- The names of types: the class of an object, and the metatables that hold the methods of classes. Classes of cdata
-- keep their methods in an ordinary table, which programs can read and extend; the ctype's metatable forwards there.

local errors, types = require 'torch.base.errors', require 'torch.base.types'
local of_tensor, of_storage = types.of_tensor, types.of_storage

local class_registry = {}

-- The text after the name of an object for whose fields __tostring__ fails.
class_registry.UNPRINTABLE = ' (fields that cannot be printed)'

local metatables = {}       -- typename -> table of methods and metamethods
local names = setmetatable({}, { __mode = 'k' })   -- that table -> typename
local registry = debug.getregistry()               -- likewise: programs of the time looked there
local finders = {}          -- further ways to find the class of a cdata: function(object) -> typename or nil
local cdata_classes = {}
local deferred = {}         -- methods table -> its load function, see userclass.defer
local constructors = {}     -- typename -> constructor table
local made = setmetatable({}, { __mode = 'k' })    -- that table -> typename
local factories = {}        -- typename -> function that makes an object without initialising it, see class.factory
-- Replaced results of getmetatable, for metatables that programs must not see; false means nil.
local shown = setmetatable({}, { __mode = 'k' })

-- Registers a class: its methods table, constructor table, and a function that makes an empty object (true: a table).
function class_registry.register(name, metatable, constructor, factory)
   metatables[name] = metatable
   names[metatable], registry[metatable] = name, name
   if registry[name] == nil then registry[name] = metatable end
   constructors[name], factories[name] = constructor, factory
   if constructor then made[constructor] = name end
   rawset(metatable, '__typename', name)
   rawset(metatable, '__version', rawget(metatable, '__version') or 1)
end

-- Registers a second methods table for a class.
function class_registry.add_methods(name, methods)
   names[methods], registry[methods], registry[name] = name, name, methods
   local hidden = getmetatable(methods)
   if hidden then shown[hidden] = false end
end

function class_registry.is_methods(methods) return names[methods] ~= nil end

-- Calls load(metatable) when a methods table is read; nil cancels it. A table that load returns is shown instead.
function class_registry.defer(metatable, load)
   deferred[metatable] = load
end

-- A methods table after its deferred contents are loaded.
function class_registry.loaded(metatable)
   local load = deferred[metatable]
   return load and load(metatable) or metatable
end

-- Makes getmetatable answer `instead` (false: nil) for objects whose metatable is `hidden`.
function class_registry.hide(hidden, instead)
   shown[hidden] = instead
end

function class_registry.add_cdata(name, matches)
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

function class_registry.typename(object)
   local kind = type(object)
   if kind == 'cdata' then return cdata_name(object) end
   if kind == 'table' or kind == 'userdata' then
      local metatable = getmetatable(object)
      return type(metatable) == 'table' and names[metatable] or nil
   end
end

errors.typename = class_registry.typename

-- torch.type: the class name, or Lua's type.
function class_registry.type(object)
   return class_registry.typename(object) or class_registry.lua_type(object)
end

-- Userdata of a class that was cdata in Torch7.
local was_cdata = setmetatable({}, { __mode = 'k' })
function class_registry.show_as_cdata(metatable) was_cdata[metatable] = true end

-- Lua's type, except that objects made of cdata are userdata, as they were in Torch7, and those of tds the reverse.
function class_registry.lua_type(object)
   local kind = type(object)
   if kind == 'cdata' and cdata_name(object) then return 'userdata' end
   if kind == 'userdata' and was_cdata[getmetatable(object)] then return 'cdata' end
   return kind
end

function class_registry.metatable(name)
   return metatables[name]
end

-- Lua's getmetatable, except that objects made of cdata show the methods table of their class, constructor
-- tables that of their objects, and methods tables that of the parent class.
function class_registry.lua_getmetatable(object)
   if type(object) == 'cdata' then
      local name = cdata_name(object)
      if name then return class_registry.loaded(metatables[name]) end
   end
   local metatable = getmetatable(object)
   if metatable == nil then return nil end
   local instead = shown[metatable]
   if instead == nil then return metatable end
   return instead and class_registry.loaded(instead) or nil
end

function class_registry.constructor(name) return constructors[name] end

-- The name of the class whose objects a table makes; nil for other values.
function class_registry.class_made_by(constructor) return made[constructor] end

-- Returns the function that makes an object of a class without initialising it; nil if there is none. Programs may
-- define one to store packages of functions in files.
function class_registry.factory(name)
   local methods = metatables[name]
   local own = methods and rawget(methods, '__factory')
   if own then return own end
   if factories[name] == true then
      factories[name] = function() return setmetatable({}, methods) end
   end
   return factories[name]
end

-- Returns the real function of a deferred one; torch.class.lazy replaces this.
function class_registry.real(f) return f end

-- The class and the name of a method; nil for other functions. If several classes have the method, the first by name.
function class_registry.name_of_method(f)
   local class, found
   for name, metatable in next, metatables do
      if not class or name < class then
         for key, value in next, metatable do
            if rawequal(value, f) and type(key) == 'string' and (name ~= class or key < found) then
               class, found = name, key
            end
         end
      end
   end
   return class, found
end

function class_registry.methods_of(object)
   local name = class_registry.typename(object)
   return name and metatables[name]
end

function class_registry.install(torch)
   torch.type = class_registry.type

   -- The name of a class; like Torch7 it accepts numbers as strings.
   local function class_name(f, name)
      local kind = type(name)
      if kind ~= 'string' and kind ~= 'number' then errors.argument_error(f, 1, 'the name of a class', name) end
      return name .. ''
   end

   function torch.factory(name) return (class_registry.factory(class_name('factory', name))) end

   function torch.getmetatable(name)
      local metatable = metatables[class_name('getmetatable', name)]
      if metatable then return (class_registry.loaded(metatable)) end
   end

   -- Returns no value at all for objects without a class, as in Torch7.
   function torch.typename(object)
      local name = class_registry.typename(object)
      if name then return name end
   end

   function torch.getconstructortable(name)
      local constructor = constructors[class_name('getconstructortable', name)]
      if constructor then return constructor end
   end

   -- The version that files store beside the class.
   function torch.version(object)
      local metatable = class_registry.methods_of(object)
      if metatable then return metatable.__version end
   end
end

return class_registry

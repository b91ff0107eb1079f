-- pl.class: classes of Penlight. class() makes one, class(Base) a derived one, class{...} one with these methods,
-- whose base is `_base`; class.Name(...) makes it a global of the caller. `_init` is the constructor, in which
-- self:super(...) is that of the base; `_create` makes the table of an object; is_a and class_of ask; catch supplies
-- missing fields.

-- Fields that a class does not inherit.
local OWN = { _init = true, _name = true, __index = true }

-- Calls the constructor nearest to a class; `super` in it calls the next one.
local function initialise(object, class, ...)
   while class and rawget(class, '_init') == nil do class = rawget(class, '_base') end
   if not class then return nil end
   local base, before = rawget(class, '_base'), rawget(object, 'super')
   rawset(object, 'super', base and function(self, ...) return initialise(self, base, ...) end or nil)
   local replaced = class._init(object, ...)
   rawset(object, 'super', before)
   return replaced
end

local function construct(class, ...)
   local object = class._create and class._create(...) or {}
   setmetatable(object, class)
   local replaced = initialise(object, class, ...)
   return type(replaced) == 'table' and setmetatable(replaced, class) or object
end

-- Tells whether an object is of a class or of one derived from it; returns its class where none is given.
local function is_a(object, class)
   local own = getmetatable(object)
   if class == nil then return own end
   while type(own) == 'table' do
      if own == class then return true end
      own = rawget(own, '_base')
   end
   return false
end

local function class_of(class, object) return type(object) == 'table' and is_a(object, class) end

-- Makes a table an object of the class.
local function cast(class, object) return setmetatable(object, class) end

-- Looks up missing fields of the objects by `handler`, function(object, name).
local function catch(class, handler)
   if type(handler) ~= 'function' then error('catch: function expected, got ' .. type(handler), 2) end
   rawset(class, '_handler', handler)
   rawset(class, '__index', function(object, name)
      local value = class[name]
      if value ~= nil then return value end
      return handler(object, name)
   end)
end

-- Objects of a named class print with its name.
local function describe(object)
   local name = getmetatable(object)._name
   return string.format(name and name .. ': %p' or 'table: %p', object)
end

local function make(base, body, name)
   local class = { __tostring = describe }
   -- The copies make metamethods inherited. Fields that the base gets later are found through it.
   for key, value in next, base or {} do
      if not OWN[key] then class[key] = value end
   end
   class._base, class._class, class._name, class.is_a, class.class_of, class.cast, class.catch =
      base, class, name, is_a, class_of, cast, catch
   class.__index = class
   for key, value in pairs(body or {}) do class[key] = value end
   setmetatable(class, { __index = base, __call = construct })
   if rawget(class, '_handler') then catch(class, class._handler) end
   if base and base._class_init then base._class_init(class) end
   return class
end

-- Takes a base class, or a table of methods, which has no metatable.
local function define(what, name)
   if type(what) == 'table' and getmetatable(what) == nil then return make(rawget(what, '_base'), what, name) end
   return make(what, nil, name)
end

-- The base of classes whose fields are read by get_name and written by set_name, if they have such methods; others may
-- be in a field _name.
local properties = make()

function properties._class_init(class)
   class.__index = function(object, name)
      local value = class[name]
      if value ~= nil then return value end
      local getter = type(name) == 'string' and class['get_' .. name]
      if getter then return getter(object) end
      return rawget(object, '_' .. tostring(name))
   end
   class.__newindex = function(object, name, value)
      local setter = type(name) == 'string' and class['set_' .. name]
      if setter then setter(object, value) else rawset(object, name, value) end
   end
end

return setmetatable({ properties = properties }, {
   __call = function(_, what) return define(what) end,
   __index = function(_, name)
      local environment = getfenv(2)
      return function(what)
         local class = define(what, name)
         rawset(environment, name, class)
         return class
      end
   end,
})

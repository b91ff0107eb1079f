-- pl.class: classes of Penlight. class() makes one, class(Base) a derived one, class.Name(Base) a named global;
-- `_init` is the constructor, `_base` the base class, is_a and class_of ask.

local getmetatable, pairs, rawget, rawset, setmetatable, type =
   getmetatable, pairs, rawget, rawset, setmetatable, type

local function construct(class, ...)
   local object = setmetatable({}, class)
   local init = class._init
   if init then
      local replaced = init(object, ...)
      if replaced then object = setmetatable(replaced, class) end
   end
   return object
end

local function is_a(object, class)
   local own = getmetatable(object)
   if class == nil then return own end
   while type(own) == 'table' do
      if own == class then return true end
      own = rawget(own, '_base')
   end
   return false
end

local function make(base, name)
   local class = {}
   if type(base) == 'table' then
      for key, value in pairs(base) do class[key] = value end
      class._base = base
   end
   class._class, class._name, class.is_a = class, name, is_a
   -- `_init` and what is defined later are found through the base; the copies make metamethods inherited.
   class._init = nil
   class.__index = class
   function class.class_of(_, object) return type(object) == 'table' and is_a(object, class) end
   function class.super(object, ...)
      if base and base._init then return base._init(object, ...) end
   end
   return setmetatable(class, { __index = base, __call = construct })
end

return setmetatable({}, {
   __call = function(_, base) return make(base) end,
   __index = function(_, name)
      return function(base)
         local class = make(base, name)
         rawset(_G, name, class)
         return class
      end
   end,
})

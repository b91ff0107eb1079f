-- Metamethods of objects: each calls the method of Torch7's name, `__add__` for `__add`, looked up at each use.

local class_registry, errors = require 'torch.base.class_registry', require 'torch.base.errors'
local getinfo, pcall = debug.getinfo, pcall

local function method_of(object, name)
   local methods = class_registry.methods_of(object)
   return methods and methods[name]
end

local function method_of_either(a, b, event)
   local f = method_of(a, event)
   if f == nil then f = method_of(b, event) end
   return f
end

local function binary(event)
   return function(a, b)
      local f = method_of_either(a, b, event)
      if f == nil then
         errors.raise('%s is not defined for %s and %s', event, errors.describe(a), errors.describe(b))
      end
      return f(a, b)
   end
end

-- Unary operators pass their operand twice, and methods got both: functions that check their arguments declare two.
local function unary(event)
   return function(object, again)
      local f = method_of(object, event)
      if f == nil then errors.raise('%s is not defined for %s', event, errors.describe(object)) end
      return f(object, again)
   end
end

local metamethods = {
   __add = binary '__add__', __sub = binary '__sub__', __mul = binary '__mul__', __div = binary '__div__',
   __mod = binary '__mod__', __pow = binary '__pow__', __concat = binary '__concat__', __lt = binary '__lt__',
   __unm = unary '__unm__', __len = unary '__len__',
}

function metamethods.__le(a, b)
   local f = method_of_either(a, b, '__le__')
   if f == nil then return not metamethods.__lt(b, a) end
   return f(a, b)
end

-- In Torch7 each class had a function of its own here, so that Lua held objects of two classes, of a base too, for
-- different.
function metamethods.__eq(a, b)
   local f = class_registry.methods_of(a) == class_registry.methods_of(b) and method_of(a, '__eq__')
   if not f then return (rawequal(a, b)) end
   return f(a, b)
end

function metamethods.__call(object, ...)
   local f = method_of(object, '__call__')
   if f == nil then errors.raise('__call__ is not defined for %s', errors.describe(object)) end
   return f(object, ...)
end

-- Whether functions are the library's.
local of_library = setmetatable({}, { __mode = 'k', __index = function(known, f)
   known[f] = errors.is_library(getinfo(f, 'S').source) or false
   return known[f]
end })

function metamethods.__tostring(object)
   local f = method_of(object, '__tostring__')
   if f == nil then return class_registry.typename(object) end
   if not of_library[f] then return f(object) end
   -- Fields of a module may hold anything; its name is printed then.
   local ok, text = pcall(f, object)
   if ok then return text end
   -- A text for each of thousands of objects inside one another would take too long.
   errors.check_nested(text, class_registry.typename, object)
   return class_registry.typename(object) .. class_registry.UNPRINTABLE
end

return metamethods

-- The Lua half of objects and models in Python (t7shell/bridge/values.py, t7shell/bridge/models.py).

local torch = require 'torch'
local class_registry, object_reader = require 'torch.base.class_registry', require 'torch.io.object_reader'
local concat, sort = table.concat, table.sort
local find, format, match = string.find, string.format, string.match
local error, ipairs, next, package, rawget = error, ipairs, next, package, rawget
local getmetatable, globals, pcall, require, tostring, type = getmetatable, _G, pcall, require, tostring, type

local objects = {}

local MAX_DEPTH = 20      -- classes above that of an object

-- Returns the class of a table, nil if it has none.
objects.typename = class_registry.typename

-- Tells whether an object is a module of nn.
function objects.is_module(object)
   local ok, method = pcall(function() return object.updateOutput end)
   return ok and type(method) == 'function' and class_registry.typename(object) ~= nil
end

-- Tells whether a table may be called.
function objects.callable(object)
   local metatable = getmetatable(object)
   return type(metatable) == 'table' and metatable.__call ~= nil
end

function objects.text(object) return tostring(object) end

-- The text of a table in one line, for Python's repr; nil if a metamethod fails.
function objects.line(object)
   local ok, text = pcall(require('shell.pretty').line, object)
   return ok and text or nil
end

-- Names that are Python attributes: those of fields, of the class and of its parents; one per line.
function objects.names(object)
   local fields, methods, known = {}, {}, {}
   local function collect(from, to)
      for name in next, from do
         if type(name) == 'string' and find(name, '^[%a_][%w_]*$') and not known[name] then
            known[name] = true
            to[#to + 1] = name
         end
      end
   end
   collect(object, fields)
   local depth, metatable = 0, class_registry.methods_of(object)
   while type(metatable) == 'table' and depth < MAX_DEPTH do
      collect(class_registry.loaded(metatable), methods)
      depth, metatable = depth + 1, class_registry.lua_getmetatable(metatable)
   end
   sort(fields)
   sort(methods)
   return concat(fields, '\n'), concat(methods, '\n')
end

-- Reads a file. Unless `trusted`, only classes of the listed packages ('nn') and names ('my.Class') are read, and
-- functions raise an error when called.
function objects.load(path, mode, trusted, ...)
   local allowed = {}
   for _, name in ipairs { ... } do allowed[name] = true end
   if trusted then return torch.load(path, mode) end
   local limits = { no_functions = 'functions in files do not run unless the caller trusts the file' }
   function limits.allows(name)
      local head = match(name, '^([%w_]+)%.')
      return allowed[name] or head and allowed[head] or false
   end
   return object_reader.guarded(limits, torch.load, path, mode)
end

-- Calls a method with one or two arguments. A file may have given the object a field of the same name.
function objects.send(object, name, a, b)
   local method = object[name]
   if type(method) ~= 'function' then
      error(format('%s: the field %s is not a method (got a %s)', class_registry.typename(object), name,
         type(method)), 0)
   end
   return method(object, a, b)
end

-- Names of packages that a program has required, one per line: an unpickled value needs them.
function objects.packages(...)
   local found = {}
   for _, name in ipairs { ... } do
      if package.loaded[name] then found[#found + 1] = name end
   end
   return concat(found, '\n')
end

-- Requires packages, and sets the global of their name as programs do.
function objects.require(...)
   for _, name in ipairs { ... } do
      local found = require(name)
      if rawget(globals, name) == nil and type(found) == 'table' then globals[name] = found end
   end
end

return objects

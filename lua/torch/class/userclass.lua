-- Classes that programs define: torch.class and its parts. A class is a methods table and the metatable of its
-- objects; it inherits by a hidden metatable, its link. Torch7's metamethods, as `__add__`, are inherited and looked
-- up on use.

local ffi = require 'ffi'
local class_registry, errors = require 'torch.base.class_registry', require 'torch.base.errors'
local dialect = require 'torch.base.dialect'
local th_struct, finish_trace = require 'torch.tensor.th_struct', require('torch.jit.trace').finish
local metamethods = require 'torch.class.metamethods'
local globals = _G

local userclass = {}

local links = setmetatable({}, { __mode = 'k' })      -- methods table -> its hidden metatable
local children = setmetatable({}, { __mode = 'k' })   -- methods table -> list of those of subclasses, if any
local parents = setmetatable({}, { __mode = 'k' })    -- methods table -> that of the parent class

-- __index__ returns a value, and true if it knew the key; other keys are looked up among the methods.
local function searching(methods)
   return function(object, key)
      local value, known = methods.__index__(object, key)
      if known or known == nil and value then return value end
      return methods[key]
   end
end

-- __newindex__ returns true if it handled the assignment.
local function storing(methods)
   return function(object, key, value)
      if not methods.__newindex__(object, key, value) then rawset(object, key, value) end
   end
end

local made = setmetatable({}, { __mode = 'k' })       -- functions that `searching` and `storing` made

-- Searches a class and its subclasses for indexing methods: only classes with them pay a call per field access.
local function refresh(methods)
   local index, newindex = rawget(methods, '__index'), rawget(methods, '__newindex')
   if index == nil or index == methods or made[index] then
      local f = methods
      if methods.__index__ ~= nil then
         f = index ~= methods and index or searching(methods)
         made[f] = true
      end
      rawset(methods, '__index', f)
   end
   if newindex == nil or made[newindex] then
      local f
      if methods.__newindex__ ~= nil then
         f = newindex or storing(methods)
         made[f] = true
      end
      rawset(methods, '__newindex', f)
   end
   for _, child in ipairs(children[methods] or {}) do refresh(child) end
end

local function define(methods, key, value)
   rawset(methods, key, value)
   if key == '__index__' or key == '__newindex__' then refresh(methods) end
end

local function set_parent(methods, parent)
   local link = links[methods]
   link.__index = parent
   parents[methods] = parent
   class_registry.hide(link, parent)
   if links[parent] then
      local list = children[parent] or {}
      children[parent], list[#list + 1] = list, methods
   end
   refresh(methods)
end

local function prepare(methods)
   local link = { __newindex = define }
   links[methods] = link
   class_registry.hide(link, false)
   for event, f in pairs(metamethods) do rawset(methods, event, f) end
   setmetatable(methods, link)
   refresh(methods)
end

-- The table that the class `name` goes into: `module`, or the global table that the name's prefix names.
local function scope_of(name, module)
   local prefix, short = string.match(name, '^(.*)%.([^.]*)$')
   if module then return module, short or name end
   local inside = globals
   for part in string.gmatch(prefix or '', '[^.]+') do
      inside = type(inside) == 'table' and inside[part] or nil
   end
   if type(inside) ~= 'table' then
      errors.raise("class %s: there is no global table '%s' for it to appear in", name, prefix)
   end
   return inside, short or name
end

local function constructor_table(methods, constructor)
   local metatable = { __index = methods, __newindex = methods, __call = constructor }
   class_registry.hide(metatable, methods)
   return setmetatable({}, metatable)
end

-- Defines or finds a class, sets its parent, and assigns its constructor table to its name. `constructor`
-- is called with the constructor table and the arguments; for `factory` see class.register.
local function establish(name, parent_name, module, constructor, factory)
   local inside, short = scope_of(name, module)
   local parent
   if parent_name ~= nil then
      parent = class_registry.metatable(parent_name)
      if not parent then errors.raise("class %s: its parent %s is no class", name, tostring(parent_name)) end
   end
   local methods = class_registry.metatable(name)
   if methods then
      class_registry.loaded(methods)
      if not parent and parents[methods] then
         errors.raise('class %s has a parent: %s', name, parents[methods].__typename)
      end
      -- When a cell or a line is run again, repeating the same parent is allowed.
      if parent and parents[methods] and dialect.name == 'th' then
         errors.raise('class %s has been already assigned a parent class: %s', name, parents[methods].__typename)
      end
   else
      methods = {}
      prepare(methods)
   end
   if parent and not rawequal(parents[methods], parent) then
      if parents[methods] then errors.raise('class %s has a parent already: %s', name, parents[methods].__typename) end
      set_parent(methods, parent)
   end
   local made_table = constructor_table(methods, constructor)
   class_registry.register(name, methods, made_table, factory)
   -- Programs that forbid new globals mean their own.
   rawset(inside, short, made_table)
   return methods, parents[methods]
end

local function make(methods, ...)
   local object = setmetatable({}, methods)
   local init = methods.__init
   if init ~= nil then init(object, ...) end
   return object
end

-- The constructor of all classes: there are hundreds, and Lua's collector marks each function.
local function construct(constructors, ...) return make(getmetatable(constructors).__index, ...) end

-- torch.class(name [, parent name] [, module table]): the methods tables of the class and of its parent.
local function define_class(name, parent, module)
   if type(parent) == 'table' and module == nil then parent, module = nil, parent end
   if type(name) ~= 'string' or parent ~= nil and type(parent) ~= 'string' or
      module ~= nil and type(module) ~= 'table' then
      errors.raise('class: arguments must be <class name> [, <parent class name>] [, <module table>] (got %s, %s, %s)',
         errors.describe(name), errors.describe(parent), errors.describe(module))
   end
   local methods, parent_methods = establish(name, parent, module, construct, true)
   if rawget(methods, 'new') == nil then
      methods.new = function(...) return make(methods, ...) end
   end
   return methods, parent_methods
end

-- Wraps a constructor that takes no constructor table.
local function without_self(constructor)
   return function(_, ...) return constructor(...) end
end

-- A class of userdata: (methods, new). new() makes an object without state; a `constructed` class calls methods.new.
function userclass.userdata(name, parent_name, module, constructed)
   local prototype = newproxy(true)
   local methods = getmetatable(prototype)
   prepare(methods)
   class_registry.register(name, methods)
   establish(name, parent_name, module, constructed and without_self(function(...) return methods.new(...) end))
   return methods, function() return newproxy(prototype) end
end

local loaders = setmetatable({}, { __mode = 'k' })    -- methods table -> its load function, see userclass.defer

local function asked(methods, name)
   -- Looked up when classes are made; no deferred class has them.
   if name == '__index__' or name == '__newindex__' then return nil end
   loaders[methods](methods)
   return methods[name]
end

local function given(methods, key, value)
   loaders[methods](methods)
   methods[key] = value
end

-- Defers load(methods) until the methods of a class are first used: it calls `settle`, then defines them.
function userclass.defer(methods, load)
   local link = links[methods]
   loaders[methods], link.__index, link.__newindex = load, asked, given
   class_registry.defer(methods, load)
end

function userclass.settle(methods)
   local link = links[methods]
   loaders[methods], link.__index, link.__newindex = nil, parents[methods], define
   class_registry.defer(methods, nil)
end

-- The methods of the class of a constructor table; nil for anything else.
local function methods_of_constructor(object)
   local metatable = type(object) == 'table' and class_registry.lua_getmetatable(object)
   return type(metatable) == 'table' and type(metatable.__typename) == 'string' and metatable or nil
end

-- Tells whether the class of an object or constructor table, or one it inherits from, has a name that `spec` matches:
-- a Lua pattern, the whole name where it has no magic, or a constructor table.
local function is_type_of(object, spec)
   local named = methods_of_constructor(spec)
   if named then spec = named.__typename end
   if type(spec) ~= 'string' then
      errors.argument_error('isTypeOf', 2, 'the name of a class, pattern or constructor table', spec)
   end
   local methods = class_registry.methods_of(object) or methods_of_constructor(object)
   finish_trace()
   while methods do
      local name = methods.__typename
      local ok, match = pcall(string.match, name, spec)
      if not ok then errors.argument('isTypeOf', 2, "must be a Lua pattern (got '%s': %s)", spec, match) end
      if match and (match ~= spec or match == name) then return true end
      methods = parents[methods]
   end
   return false
end

function userclass.install(torch)
   torch.class, torch.isTypeOf = define_class, is_type_of

   -- newmetatable(name [, parent] [, constructor] [, destructor] [, factory] [, module]): the parts of a class
   -- one by one. Destructors are for memory that Lua does not manage and are never needed here.
   function torch.newmetatable(name, parent, constructor, _, factory, module)
      if type(name) ~= 'string' then errors.argument_error('newmetatable', 1, 'a string', name) end
      return (establish(name, parent, module, constructor and without_self(constructor), factory))
   end

   function torch.setmetatable(object, name)
      local methods = class_registry.metatable(name)
      if not methods then errors.raise('setmetatable: unknown class %s', tostring(name)) end
      if type(object) ~= 'table' then errors.argument_error('setmetatable', 1, 'a table', object) end
      setmetatable(object, methods)
      return name
   end

   -- Makes objects of a C type instances of a class.
   function torch.metatype(name, ctype)
      if not class_registry.metatable(name) then errors.raise('metatype: unknown class %s', tostring(name)) end
      local ct = ffi.typeof(ctype)
      ffi.metatype(ct, { __index = class_registry.metatable(name) })
      class_registry.add_cdata(name, function(object) return (ffi.istype(ct, object)) end)
   end

   -- The object whose struct x:cdata() gave away, or that x:retain() keeps for the owner of its number.
   function torch.pushudata(object, name)
      if type(object) == 'number' then
         local address = object
         object = th_struct.at(address)
         if object == nil then
            errors.raise('pushudata: no object at this address: retain() it for each time that it is pushed (got %.0f)',
               address)
         end
      end
      object = th_struct.objects[object] or object
      if class_registry.typename(object) ~= name then
         errors.argument_error('pushudata', 1, 'a ' .. tostring(name), object)
      end
      return object
   end
end

return userclass

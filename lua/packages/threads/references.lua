-- Values that are passed between threads by name: modules of the library and of Lua, their functions, and classes. Each
-- thread has separate instances.

local getmetatable, loaded = getmetatable, package.loaded
local next, pcall, rawequal, rawget, require, setmetatable, type = next, pcall, rawequal, rawget, require, setmetatable,
   type
local class_registry, class_packages = require 'torch.base.class_registry', require 'torch.io.class_packages'
local errors, function_format = require 'torch.base.errors', require 'torch.io.function_format'
local modules = require 'shell.modules'
local globals = _G

local references = {}

-- The first parts of the names of modules that every thread can load.
local SHARED = {
   _G = true, string = true, table = true, math = true, os = true, io = true, coroutine = true, debug = true,
   package = true, jit = true, bit = true, ffi = true, pl = true, torch = true,
}

local function is_shared(module)
   local head = string.match(module, '^[^.]*')
   if SHARED[head] == nil then SHARED[head] = require('shell.about')[head] ~= nil end
   return SHARED[head] and (head ~= 'torch' or module == 'torch')
end

-- Value -> { module, name of its field }; the name is nil for the module itself.
local named = setmetatable({}, { __mode = 'k' })

-- Tells whether a function is a C function or the library's.
local function is_builtin(f)
   local ok, code = pcall(string.dump, f)
   return not ok or function_format.is_library_code(code)
end

local function is_field(value)
   local kind = type(value)
   if kind == 'table' then return getmetatable(value) ~= nil and not class_registry.typename(value) end
   return kind == 'function' and is_builtin(value)
end

local function collect()
   for module, value in next, loaded do
      if type(module) == 'string' and type(value) == 'table' and is_shared(module) then
         for name, field in next, value do
            if type(name) == 'string' and not named[field] and is_field(field) then named[field] = { module, name } end
         end
      end
   end
   -- Last, so that a module within another one is referred to by its own name.
   for module, value in next, loaded do
      if type(module) == 'string' and type(value) == 'table' and is_shared(module) then named[value] = { module } end
   end
end

-- Registers modules that were loaded since, whose tables would be taken for plain ones.
local known = -1

function references.refresh()
   if modules.searches == known then return end
   known = modules.searches
   collect()
end

-- Returns the kind of a reference and its parts; nil for a value that is copied.
function references.of(value, kind)
   local found = named[value]
   if found then return 'module', found[1], found[2] end
   if kind == 'table' then
      if getmetatable(value) == nil or class_registry.typename(value) then return nil end
      if class_registry.is_methods(value) then return 'methods', rawget(value, '__typename') end
      local methods = class_registry.lua_getmetatable(value)
      local name = type(methods) == 'table' and class_registry.is_methods(methods) and rawget(methods, '__typename')
      if name and rawequal(class_registry.constructor(name), value) then return 'class', name end
      return nil
   end
   if not is_builtin(value) then return nil end
   collect()
   found = named[value]
   if found then return 'module', found[1], found[2] end
   return nil
end

local function raise_undefined(name)
   errors.raise("threads: class %s is not defined in this thread: define it in the pool's first function", name)
end

-- The constructor of a class that this thread does not define. A function may bring it along in a table of its module
-- without using it, and load the module itself.
local function undefined_class(name)
   local function fail() raise_undefined(name) end
   return setmetatable({}, { __call = fail, __index = fail, __newindex = fail })
end

-- The value of a reference in this thread.
function references.value(kind, name, field)
   if kind == 'module' then
      local ok, module = true, globals
      if name ~= '_G' then ok, module = pcall(require, name) end
      if not ok then errors.raise('threads: module %s cannot be loaded in this thread', name) end
      if field == nil then return module end
      local value = module[field]
      if value == nil then errors.raise('threads: %s.%s does not exist in this thread', name, field) end
      return value
   end
   -- Loads the package of the class.
   class_packages.factory(name)
   local value
   if kind == 'class' then value = class_registry.constructor(name) else value = class_registry.metatable(name) end
   if value == nil and kind == 'class' then return undefined_class(name) end
   if value == nil then raise_undefined(name) end
   return value
end

return references

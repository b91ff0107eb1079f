-- torch.DoubleTensor, torch.LongStorage, ...: constructor tables. The methods of a type are made on first use.

local class_registry, errors = require 'torch.base.class_registry', require 'torch.base.errors'
local loader, types = require 'torch.jit.loader', require 'torch.base.types'
local install, method_tables = require 'torch.dispatch.install', require 'torch.dispatch.method_tables'
local type_fields, undefined_operators = require 'torch.tensor.type_fields', require 'torch.tensor.undefined_operators'
local original_packages = require 'torch.dispatch.original_packages'
local collector, uninterruptible = require 'torch.memory.collector', require 'torch.base.uninterruptible'

local match = string.match

local constructors = {}

-- Element access is not looked up at each use: it is replaced when a program replaces it.
local INDEXING = { __index = true, __newindex = true }

-- __index__ methods return a value, and true if they knew the key; __newindex__ methods, true if they handled it.
local by_method = {
   __index = function(T, field, method)
      return function(object, key)
         local value, known = method(object, key)
         if known or known == nil and value then return value end
         return T[field][key]
      end
   end,
   __newindex = function(_, _, method)
      return function(object, key, value)
         if not method(object, key, value) then
            errors.raise('the class %s cannot be indexed by %s', class_registry.typename(object), errors.describe(key))
         end
      end
   end,
}

-- Operators under Lua's names, such as '__mul', and Torch7's, such as '__mul__'.
local function operator(operators, methods, name)
   if type(name) ~= 'string' or not operators[name] or undefined_operators.has(operators[name]) then return nil end
   return rawget(methods, name .. '__') or operators[name]
end

-- tensor:write(file) and tensor:read(file), and those of storages.
local function add_file_methods(T, methods)
   local function check_self(object, method)
      if types.of_tensor(object) ~= T and types.of_storage(object) ~= T then
         errors.argument_error(method, 0, 'a ' .. T.tensor_name .. ' or ' .. T.storage_name, object)
      end
   end

   function methods.write(object, file)
      check_self(object, 'write')
      require('torch.io.object_writer').write_contents(file, object)
   end

   -- Reads the contents that `write` wrote.
   function methods.read(object, file)
      check_self(object, 'read')
      require('torch.io.object_reader').read_contents(file, object)
   end
end

local function define(T)
   if T.name ~= 'Long' then
      -- Sizes are LongStorages for every type.
      local _ = types.by_name.Long.storage_methods
   end
   rawset(T, 'storage_methods', type_fields.make('storage_methods', T))
   -- Finds methods that a program stored in the facade by rawset, as Torch7's own files did.
   local storage_methods = T.storage_methods
   setmetatable(storage_methods, { __index = function(_, name)
      local method = rawget(T.storage_methods_facade, name)
      return method ~= nil and method or operator(T.storage_operators, storage_methods, name)
   end })
   local methods = type_fields.make('tensor_methods', T)
   add_file_methods(T, methods)
   add_file_methods(T, T.storage_methods)
   for _, part in ipairs { 'indexing', 'operators' } do
      loader.specialise('torch.dispatch.' .. part, T)(methods, T.tensor_operators)
   end
   undefined_operators.add(T.tensor_operators)
   method_tables.keep(T, methods, T.tensor_operators)
   setmetatable(methods, { __index = function(_, name)
      local method = original_packages.kept(T, name) or install.method(T, name)
      if method and original_packages.hides(install.row(name)) then
         original_packages.keep(T, name, method)
         if not original_packages.ask() then return method end
         method = nil
      end
      if not method then
         method = rawget(T.tensor_methods_facade, name)
         return method ~= nil and method or operator(T.tensor_operators, methods, name)
      end
      rawset(methods, name, method)
      return method
   end })
   rawset(T, 'tensor_methods', methods)
   rawset(T, 'functions', install.functions(T))
   -- The functions of torch for this type.
   if T.arithmetic then methods.torch = T.functions end
end

-- Defines the methods of a type: called when a missing field of its row is read. If it fails, out of memory or because
-- a file is missing, the row is restored and the next use tries again.
local function make(T)
   collector.start()
   local lookup, before = getmetatable(T), {}
   for field in next, T do before[field] = true end
   setmetatable(T, nil)
   local ok, reason = pcall(define, T)
   if ok then return end
   for field in next, T do
      if not before[field] then rawset(T, field, nil) end
   end
   setmetatable(T, lookup)
   error(reason, 0)
end

-- Replaces an operator by one that a program defines as __add__ or __add; false for other names.
local function define_operator(T, field, operators, name, method)
   local event = type(name) == 'string' and match(name, '^(__%l+)__$') or name
   if not T[operators][event] then return false end
   if INDEXING[event] then
      if type(method) == 'nil' then errors.raise('%s must be a function (got nil)', name) end
      if name ~= event then method = by_method[event](T, field, method) end
   end
   T[operators][event] = method
   -- Compiled code has the old operator as a constant. Within a finalizer it cannot be flushed.
   pcall(jit.flush)
   return true
end

-- The methods table that programs see; it forwards to the type's own, which may not exist yet.
local function facade(T, field, operators)
   local methods = setmetatable({}, {
      __index = function(_, name) return T[field][name] end,
      __newindex = function(_, name, method)
         T[field][name] = method
         define_operator(T, field, operators, name, method)
      end,
   })
   T[field .. '_facade'] = methods
   return methods
end

-- Makes operators look up the methods table, which programs see as the metatable and may change by rawset: __mul there
-- calls __mul__, unless a program replaced it.
local function expose_operators(T, operators, methods)
   local list = T[operators]
   for event, f in pairs(list) do
      local name = event .. '__'
      if not INDEXING[event] then
         local by_name = rawget(methods, name) and function(a, b) return methods[name](a, b) end
         if by_name or not undefined_operators.has(f) then rawset(methods, event, by_name or f) end
         list[event] = undefined_operators.as(f, function(a, b, ...)
            local current = rawget(methods, event)
            if current == nil then current = methods[name] or f end
            if event == '__call' then return current(a, b, ...) end
            return current(a, b)
         end)
      end
   end
   -- Compiled code has the old operators as constants. Within a finalizer it cannot be flushed.
   pcall(jit.flush)
end

-- Fills the methods table of a type with all its names, for programs that iterate over it, and returns it. Programs may
-- replace entries, so operators are looked up at each use from then on.
local function fill(T, field, operators)
   local methods, facade_methods = T[field], T[field .. '_facade']
   if class_registry.is_methods(methods) then return methods end
   if field == 'tensor_methods' then
      local operations = install.by_name.torch
      for name in pairs(operations.chapter_of) do
         local row = operations.rows[name]
         if rawget(methods, name) == nil and install.has(row, T, 'method') and not original_packages.hides(row) then
            rawset(methods, name, method_tables.stub(T, methods, name))
         end
      end
   end
   expose_operators(T, operators, methods)
   local metatable, defined = getmetatable(methods), {}
   local inherited = metatable.__index
   function metatable.__index(_, name)
      if defined[name] ~= nil then return defined[name] end
      return inherited(methods, name)
   end
   -- The indexing methods are not stored in the table itself, which would not notice later replacements.
   function metatable.__newindex(_, name, method)
      local event = type(name) == 'string' and match(name, '^(__%l+)__$') or name
      if INDEXING[event] and define_operator(T, field, operators, name, method) then
         defined[name] = method
      else
         rawset(methods, name, method)
      end
   end
   for event in pairs(INDEXING) do
      local name = event .. '__'
      defined[event], defined[name] = T[operators][event], rawget(methods, name)
      rawset(methods, name, nil)
   end
   function metatable.__pairs()
      local all = {}
      for name, method in next, methods do all[name] = method end
      for name, method in next, defined do all[name] = method end
      return next, all
   end
   -- From now on these belong to the table.
   for name, value in next, facade_methods do
      rawset(methods, name, value)
      rawset(facade_methods, name, nil)
   end
   class_registry.add_methods(T[field == 'tensor_methods' and 'tensor_name' or 'storage_name'], methods)
   return methods
end

local function constructor(name, T, field, operators)
   local methods, sized = facade(T, field, operators), field == 'tensor_methods'
   local metatable = {
      __index = methods,
      __newindex = methods,
      __call = function(_, ...)
         local kind = type((...))
         if sized and (kind == 'number' or kind == 'nil') then errors.reject_nil(name, ...) end
         return T[field].new(...)
      end,
      __tostring = function() return name end,
   }
   class_registry.hide(metatable, methods)
   class_registry.defer(methods, function() return fill(T, field, operators) end)
   local made = setmetatable({}, metatable)
   class_registry.register(name, methods, made, function() return T[field].new() end)
   return made
end

function constructors.add(torch, T)
   T.tensor_constructor = constructor(T.tensor_name, T, 'tensor_methods', 'tensor_operators')
   T.storage_constructor = constructor(T.storage_name, T, 'storage_methods', 'storage_operators')
   setmetatable(T, { __index = function(row, key)
      -- Fields that distinguish types of other devices; they need no methods.
      if key == 'base' or key == 'on_device' then return nil end
      uninterruptible.load(make, row)
      return rawget(row, key)
   end })
   torch[T.title .. 'Tensor'], torch[T.title .. 'Storage'] = T.tensor_constructor, T.storage_constructor
end

function constructors.install(torch)
   for _, T in ipairs(types.rows) do constructors.add(torch, T) end
   -- Types of other devices are made when one of their names is looked up.
   setmetatable(types.by_typename, { __index = function(all, name)
      if type(name) ~= 'string' or string.sub(name, 1, 10) ~= 'torch.Cuda' then return nil end
      require('torch.dispatch.devices').load(function(T) constructors.add(torch, T) end)
      return rawget(all, name)
   end })

   function torch.setdefaulttensortype(name)
      local T = types.by_typename[name]
      if not T or T.tensor_name ~= name then
         errors.argument_error('setdefaulttensortype', 1, "the name of a tensor type such as 'torch.FloatTensor'", name)
      end
      types.default = T
      torch.Tensor, torch.Storage = T.tensor_constructor, T.storage_constructor
   end

   function torch.getdefaulttensortype() return types.default.tensor_name end

   torch.Tensor, torch.Storage = torch.DoubleTensor, torch.DoubleStorage
end

return constructors

-- Resolves names without running any of the user's code: fields are read raw, through __index tables, and tensors by
-- the methods of their class.

local find, match, sub = string.find, string.match, string.sub
local globals, string = _G, _G.string
local class_registry, lazy = require 'torch.base.class_registry', require 'torch.class.lazy'
local getinfo, install = require('torch.language.stubs').getinfo, require 'torch.dispatch.install'
local types = require 'torch.base.types'
local is_library = require('torch.base.errors').is_library
local matching = require 'shell.matching'

local names = {}

local MAX_DEPTH = 20      -- tables that are followed through __index, which may be circular

names.keywords = require('torch.language.tokens').KEYWORDS

-- Lua functions that LuaJIT implements in bytecode, whose sources are uninformative.
local builtin = {}
for _, library in ipairs { 'string', 'table', 'math', 'io', 'os', 'coroutine', 'debug', 'bit', 'package' } do
   for _, value in next, globals[library] do builtin[value] = true end
end

-- Tells whether a function is part of Lua.
function names.is_builtin(f) return builtin[f] == true end

-- Tells whether a function is the library's, a C function, or one that LuaJIT implements in bytecode.
function names.is_library(f)
   local source = getinfo(f, 'S').source
   return is_library(source) or source == '=[C]' or names.is_builtin(f)
end

-- Returns the field of an object; nil if it is absent, or if only the user's code could tell.
function names.field(object, key)
   local T = types.of_tensor(object)
   if T and type(key) == 'number' then
      local is_there = object:dim() > 0 and key >= 1 and key <= object:size(1) and key % 1 == 0
      return is_there and object[key] or nil
   end
   if type(object) == 'string' then return string[key] end
   local methods = class_registry.methods_of(object)
   if type(object) ~= 'table' then return methods and methods[key] end
   local at = object
   for _ = 1, MAX_DEPTH do
      local value = rawget(at, key)
      if type(value) ~= 'nil' then return value end
      local metatable = debug.getmetatable(at)
      local index = type(metatable) == 'table' and rawget(metatable, '__index')
      if type(index) == 'function' and names.is_library(index) then return at[key] end
      if type(index) ~= 'table' then return nil end
      at = index
   end
end

-- The local variables by name where names are resolved without a scope: those of the frame that the debugger shows.
names.scope = nil

-- Returns the value of a chain of names (see lexer.chain), and the object that the last one is a field of.
-- `scope` holds local variables by name.
function names.resolve(chain, scope)
   local first, owner = chain[1], globals
   scope = scope or names.scope
   local value
   if first == false then
      value, owner = '', nil
   elseif scope and type(scope[first]) ~= 'nil' then
      value, owner = scope[first], nil
   else
      value = names.field(globals, first)
   end
   for i = 2, #chain do
      if type(value) == 'nil' then return nil end
      owner = value
      value = names.field(value, chain[i])
   end
   return lazy.real(value), owner
end

-- Adds the keys of a table that are strings to a set, of `limit` at most. Returns how many more may be added.
function names.add_keys(set, object, limit)
   limit = limit or 1 / 0
   for key in next, object do
      if type(key) == 'string' then
         if limit <= 0 then break end
         set[key], limit = true, limit - 1
      end
   end
   return limit
end

local function add_methods(list, T)
   names.add_keys(list, T.tensor_methods)
   local operations = install.by_name.torch
   for name in pairs(operations.chapter_of) do
      if install.has(operations.rows[name], T, 'method') then list[name] = true end
   end
end

-- Returns the names of all fields and methods of an object, as a set; of a table those of `limit` keys at most.
function names.fields(object, limit)
   local list = {}
   local T, S = types.of_tensor(object), types.of_storage(object)
   if T then
      add_methods(list, T)
   elseif S then
      names.add_keys(list, S.storage_methods)
   elseif type(object) == 'string' then
      names.add_keys(list, string)
   elseif type(object) ~= 'table' then
      local methods = class_registry.methods_of(object)
      if methods then names.add_keys(list, methods) end
   else
      local at = object
      for _ = 1, MAX_DEPTH do
         limit = names.add_keys(list, class_registry.loaded(at), limit)
         for _, made in ipairs(types.rows) do
            if at == made.tensor_constructor then add_methods(list, made) end
         end
         local metatable = debug.getmetatable(at)
         at = type(metatable) == 'table' and rawget(metatable, '__index')
         if type(at) ~= 'table' then break end
      end
   end
   return list
end

-- Returns the names of a set that `typed` may mean, in order; those with a leading underscore only if asked for.
function names.matching(list, typed)
   local kept = {}
   for name in pairs(list) do
      if find(name, '^[%a_][%w_]*$') and not names.keywords[name] and (typed ~= '' or sub(name, 1, 1) ~= '_') then
         kept[name] = true
      end
   end
   return matching(kept, typed)
end

-- Returns the name by which a program reaches a value: of a global, or of a field of one of the libraries; 'this' if
-- there is none. Of several names it prefers the library that defines the value, then alphabetical order.
function names.name_of(value)
   local own = type(value) == 'function' and match(getinfo(value, 'S').source, 'lua[/\\](%w+)[/\\]')
   local found
   local function consider(name, library)
      local rank = (library == nil and '0' or library == own and '1' or '2') .. name
      if not found or rank < found then found = rank end
   end
   for key, field in next, globals do
      if type(key) == 'string' then
         if rawequal(field, value) then consider(key) end
         if type(field) == 'table' and field ~= globals then
            for inner, other in next, field do
               if type(inner) == 'string' and rawequal(other, value) then consider(key .. '.' .. inner, key) end
            end
         end
      end
   end
   return found and sub(found, 2) or 'this'
end

-- Returns the kind of a value in one word.
function names.kind(value)
   local T = types.of_tensor(value)
   if T then return T.name .. 'Tensor' end
   return class_registry.typename(value) or type(value)
end

return names

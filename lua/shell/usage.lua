-- The usage of functions and classes: their signatures, and the names under which the manual lists them.

local find, format, sub = string.find, string.format, string.sub
local concat = table.concat
local class_registry = require 'torch.base.class_registry'
local install, reference = require 'torch.dispatch.install', require 'torch.dispatch.reference'
local types = require 'torch.base.types'
local names, lexer, sources = require 'shell.names', require 'shell.lexer', require 'shell.sources'
local about, loaded = require 'shell.about', package.loaded
local torch = require 'torch'

local usage = {}

-- The row of an operation of a package that is a function.
local function function_row(package, value, key)
   local row = package.rows[key]
   if row and rawequal(rawget(package.namespace, key), value) then return row end
   for name in pairs(package.chapter_of) do
      if rawequal(rawget(package.namespace, name), value) then return package.rows[name] end
   end
end

-- The row of an operation, and whether the value is its function or its method; nil for other values.
function usage.operation(value, owner, key)
   local row = install.by_name.torch.rows[key]
   local T = types.of_tensor(owner)
   if row and T and install.has(row, T, 'method') then return row, 'method' end
   if row and type(owner) == 'table' then
      for _, made in ipairs(types.rows) do
         if owner == torch[made.name .. 'Tensor'] and install.has(row, made, 'method') then
            return row, 'method'
         end
      end
   end
   if type(value) ~= 'function' and type(value) ~= 'table' then return nil end
   for _, package in ipairs(install.packages) do
      local found = function_row(package, value, key)
      if found then return found, 'function' end
   end
end

-- The signatures of an operation as a function of torch or as a method, as in the reference.
local function signatures(row, call)
   local list = {}
   for _, signature in ipairs(reference.signatures(install.label(row))) do
      local text = signature[call == 'method' and 2 or 1]
      if text ~= '' then table.insert(list, text) end
   end
   return list
end

-- Returns how to use a function, a line for each signature, and the row of an operation.
function usage.lines(name, value, owner, key)
   local row, call = usage.operation(value, owner, key)
   if row then return signatures(row, call), row end
   if type(value) ~= 'function' then return {} end
   local parameters = sources.parameters(value)
   if types.of_tensor(owner) or types.of_storage(owner) or type(owner) == 'string' or find(name, ':', 1, true) then
      if parameters[1] ~= '...' then table.remove(parameters, 1) end
      name = string.gsub(name, '%.([%w_]+)$', ':%1')
   end
   return { format('%s(%s)', name, concat(parameters, ', ')) }
end

-- Returns the signatures of an operation: as a function, then as a method.
function usage.signatures(row)
   local functions, methods = {}, {}
   for _, signature in ipairs(reference.signatures(install.label(row))) do
      if signature[1] ~= '' then table.insert(functions, signature[1]) end
      if signature[2] ~= '' then table.insert(methods, signature[2] .. (signature[3] and '   in place' or '')) end
   end
   for _, line in ipairs(methods) do table.insert(functions, line) end
   return functions
end

-- Returns the names under which the manual may list a library function: for a method only with a colon, and its owner.
function usage.manual_names(name, value, owner, key)
   if type(value) == 'function' and not names.is_library(value) then return {} end
   if types.of_tensor(owner) then return { ':' .. key }, 'tensor' end
   if types.of_storage(owner) then return { ':' .. key }, 'storage' end
   if type(owner) == 'string' then return { 'string.' .. key } end
   local typename = class_registry.typename(owner) or names.field(owner, '__typename')
   if typename and type(value) == 'function' then
      for _, T in ipairs(types.rows) do
         if typename == T.tensor_name then return { ':' .. key }, 'tensor' end
         if typename == T.storage_name then return { ':' .. key }, 'storage' end
      end
      return { ':' .. key, key, name }, typename
   end
   local list, class = { name, (string.gsub(name, '^pl%.', '')) }, nil
   if find(name, ':', 1, true) and type(value) == 'function' then
      class = sources.module(value)
      list[#list + 1] = key
   end
   local own = type(value) == 'function' and names.name_of(value)
   if own and own ~= 'this' then table.insert(list, own) end
   -- Packages re-export functions and classes of each other.
   for other in pairs(about) do
      local package = type(other) == 'string' and loaded[other]
      if type(package) == 'table' and rawequal(rawget(package, key), value) then
         table.insert(list, other .. '.' .. key)
      end
   end
   local made = type(value) == 'function' and value or names.field(value, '__init')
   local module = type(made) == 'function' and sources.module(made)
   if module and not class then table.insert(list, string.match(module, '^[^.]+') .. '.' .. key) end
   return list, class
end

local MAX_OPEN = 100      -- brackets around the end of a text that are looked at

-- Returns the usage of the function whose arguments a text ends in, in one line, and the names under which the manual
-- may list it; nil if there is none.
function usage.signature(text)
   local record = lexer.read(text)
   if record.comment then return nil end
   local open = record.open
   for i = #open, math.max(#open - MAX_OPEN, 1), -1 do
      if sub(text, open[i], open[i]) == '(' then
         local before, code = sub(text, 1, open[i] - 1), sub(record.code, 1, open[i] - 1)
         local chain, start = lexer.chain(before, code)
         if chain and chain[1] and not names.keywords[chain[#chain]] then
            local value, owner = names.resolve(chain)
            if type(value) == 'nil' then return nil end
            local name = string.gsub(sub(before, start), '%s+', '')
            local constructor = type(value) == 'table' and usage.constructor(value)
            if constructor then return constructor, {} end
            local lines, row = usage.lines(name, value, owner, chain[#chain])
            if not lines[1] then return nil end
            return concat(lines, '   '), row and {} or usage.manual_names(name, value, owner, chain[#chain])
         end
      end
   end
end

-- Returns the record of a class that nn documents, as nn/class/reference.lua has it, or of one that has the name of its
-- parent in nn; nil for other values.
function usage.class(object)
   local name = loaded['nn.class.classes'] and names.field(object, '__typename')
   if type(name) ~= 'string' or not rawequal(object, class_registry.constructor(name)) then return nil end
   local classes, own = require 'nn.class.reference', string.match(name, '([^.]+)$')
   local record = classes.of(name)
   if record then return record end
   local parent = class_registry.metatable('nn.' .. own)
   if not parent or class_registry.lua_getmetatable(class_registry.metatable(name)) ~= parent then return nil end
   record = classes.of('nn.' .. own)
   if record then
      record.name, record.usage = name, string.gsub(record.usage, '^nn%.', sub(name, 1, -#own - 1))
      record.example = string.gsub(record.example, '^nn%.', sub(name, 1, -#own - 1))
   end
   return record
end

-- Returns the element type of a class of tensors or storages, by its constructor table, and whether it is of tensors.
local function type_of_constructor(object)
   for _, T in ipairs(types.rows) do
      if rawequal(object, class_registry.constructor(T.tensor_name)) then return T, true end
      if rawequal(object, class_registry.constructor(T.storage_name)) then return T, false end
   end
end

-- Returns what the class of a tensor or storage is, by its constructor table.
function usage.elements(object)
   local T, of_tensors = type_of_constructor(object)
   if not T then return nil end
   return format(of_tensors and 'Tensors whose elements are of the type %s.'
      or 'The memory of tensors: a list of fixed length of the type %s.', string.lower(T.name))
end

-- Returns how to make objects of a class, by its constructor table. No function of the program is called.
function usage.constructor(object)
   local T, of_tensors = type_of_constructor(object)
   if of_tensors then return T.tensor_name .. '(sizes... | {values} | tensor | storage)' end
   if T then return T.storage_name .. '(size | {values})' end
   local class = usage.class(object)
   if class then return class.usage end
   local init = names.field(object, '__init')
   if type(init) == 'function' then
      local parameters = sources.parameters(init)
      table.remove(parameters, 1)
      return format('%s(%s)', names.field(object, '__typename') or 'class', concat(parameters, ', '))
   end
end

return usage

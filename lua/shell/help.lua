-- What the prompt says about a name: how it is called, what it does and where it is from.

local find, format, gsub, match, sub = string.find, string.format, string.gsub, string.match, string.sub
local concat, insert, remove = table.concat, table.insert, table.remove
local getinfo, pcall = debug.getinfo, pcall
local ipairs, next, pairs, require, tostring = ipairs, next, pairs, require, tostring
local rawequal, rawget = rawequal, rawget
local class, deferred = require 'torch.core.class_registry', require 'torch.lib.lazy'
local install, reference = require 'torch.dispatch.install', require 'torch.dispatch.reference'
local types = require 'torch.core.types'
local about, names, lexer = require 'shell.about', require 'shell.names', require 'shell.lexer'
local sources, spelling = require 'shell.sources', require 'shell.spelling'
local rawtype = require('torch.core.loader').pristine.type
local globals, torch = _G, require 'torch'

local help = {}

-- The chain of names in a text such as `x:narrow` or `torch.add()`, nil for anything else.
local function chain_of(text)
   text = match(text, '^%s*(.-)%s*$')
   text = gsub(text, '%s*%(%s*%)$', '')
   local record = lexer.read(text)
   if record.string or record.comment then return nil end
   local chain, start = lexer.chain(text, record.code)
   if chain and chain[1] and start == 1 then return chain, text end
end

-- The row of an operation of a package that is a function.
local function function_row(package, value, key)
   local row = package.rows[key]
   if row and rawequal(rawget(package.namespace, key), value) then return row end
   for name in pairs(package.chapter_of) do
      if rawequal(rawget(package.namespace, name), value) then return package.rows[name] end
   end
end

-- The row of the operation that a value is, and how it is called; nil for other values.
local function operation(value, owner, key)
   local row = install.by_name.torch.rows[key]
   local T = types.of_tensor(owner)
   if row and T and install.has(row, T, 'method') then return row, 'method' end
   if row and rawtype(owner) == 'table' then
      for _, made in ipairs(types.rows) do
         if owner == torch[made.name .. 'Tensor'] and install.has(row, made, 'method') then
            return row, 'method'
         end
      end
   end
   if rawtype(value) ~= 'function' and rawtype(value) ~= 'table' then return nil end
   for _, package in ipairs(install.packages) do
      local found = function_row(package, value, key)
      if found then return found, 'function' end
   end
end

-- The forms of an operation as a function of torch or as a method, as in the reference.
local function forms(row, call)
   local list = {}
   for _, form in ipairs(reference.forms(install.label(row))) do
      local text = form[call == 'method' and 2 or 1]
      if text ~= '' then insert(list, text) end
   end
   return list
end

-- How a function is called: one line for each form.
local function calls(name, value, owner, key)
   local row, call = operation(value, owner, key)
   if row then return forms(row, call), row end
   if rawtype(value) ~= 'function' then return {} end
   local parameters = sources.parameters(value)
   if types.of_tensor(owner) or types.of_storage(owner) or rawtype(owner) == 'string' or find(name, ':', 1, true) then
      if parameters[1] ~= '...' then remove(parameters, 1) end
      name = gsub(name, '%.([%w_]+)$', ':%1')
   end
   return { format('%s(%s)', name, concat(parameters, ', ')) }
end

-- One line for the toolbar: how the function at the end of a text is called, nil when that is not known.
function help.signature(text)
   local record = lexer.read(text)
   if record.comment then return nil end
   local open = record.open
   for i = #open, 1, -1 do
      if sub(text, open[i], open[i]) == '(' then
         local before, code = sub(text, 1, open[i] - 1), sub(record.code, 1, open[i] - 1)
         local chain, start = lexer.chain(before, code)
         if chain and chain[1] and not names.keywords[chain[#chain]] then
            local value, owner = names.resolve(chain)
            if rawtype(value) == 'nil' then return nil end
            local constructor = rawtype(value) == 'table' and help.constructor(value)
            local lines = constructor and { constructor }
               or calls(gsub(sub(before, start), '%s+', ''), value, owner, chain[#chain])
            return lines[1] and concat(lines, '   ') or nil
         end
      end
   end
end

-- How objects of a class are made, for its constructor table. No function of the program is called.
function help.constructor(object)
   for _, T in ipairs(types.rows) do
      if rawequal(object, class.constructor(T.tensor_name)) then
         return T.tensor_name .. '(sizes... | {values} | tensor | storage)'
      end
      if rawequal(object, class.constructor(T.storage_name)) then return T.storage_name .. '(size | {values})' end
   end
   local init = names.field(object, '__init')
   if rawtype(init) == 'function' then
      local parameters = sources.parameters(init)
      remove(parameters, 1)
      return format('%s(%s)', names.field(object, '__typename') or 'class', concat(parameters, ', '))
   end
end

-- A path below the library is shown from `lua/` on, since where that lies says nothing.
local function place(f)
   local text = sources.place(f)
   if text == 'C' then return "C, in Lua's libraries or a module" end
   if names.is_library(f) then
      return 'the library, ' .. (match(getinfo(f, 'S').source, 'lua[/\\](.*)$') or 'made on first use')
   end
   return text
end

local function is_class(object)
   local name = names.field(object, '__typename')
   return name and rawequal(object, class.constructor(name))
end

local function describe_value(value)
   local T = types.of_tensor(value)
   if T then
      local shape = require('torch.core.geometry').shape(value)
      return format('a %s of %s', T.tensor_name, shape == '' and 'no dimension' or shape)
   end
   local kind = rawtype(value)
   local name = class.typename(value)
   if name then return 'an object of the class ' .. name end
   if kind == 'table' and is_class(value) then return 'a class' end
   if kind == 'table' then
      local count = 0
      for _ in next, value do count = count + 1 end
      return format('a table with %d %s', count, count == 1 and 'entry' or 'entries')
   end
   if kind == 'string' then return format('a string of %d bytes', #value) end
   local fine, text = pcall(tostring, value)
   return fine and format('a %s: %s', kind, text) or 'a ' .. kind
end

-- Words after a heading, in lines of at most 78 characters.
local function wrapped(heading, list)
   local lines, line = {}, heading
   for _, word in ipairs(list) do
      if #line + #word + 1 > 78 then
         insert(lines, line)
         line = ' '
      end
      line = line .. ' ' .. word
   end
   insert(lines, line)
   return concat(lines, '\n')
end

local function describe(name, value, owner, key)
   local lines = {}
   local found, row = calls(name, value, owner, key)
   if row then
      return format('%s\nFrom: the operations of %s, chapter %s', reference.text(install.label(row)), row.package.name,
         row.chapter)
   end
   for _, line in ipairs(found) do insert(lines, line) end
   if rawtype(value) == 'function' then
      local comment = sources.comment(value)
      if comment then insert(lines, '') insert(lines, comment) end
      insert(lines, 'From: ' .. place(value))
   else
      insert(lines, format('%s is %s', name, describe_value(value)))
      if rawtype(value) == 'table' then
         local constructor = help.constructor(value)
         if constructor then insert(lines, constructor) end
         if about[name] then insert(lines, about[name]) end
         local fields = names.matching(names.fields(value), '')
         if #fields > 0 then insert(lines, wrapped(is_class(value) and 'Methods:' or 'Fields:', fields)) end
      end
   end
   return concat(lines, '\n')
end

-- The text that `?name` shows.
function help.text(text)
   local chain, name = chain_of(text)
   if not chain then return format("help: '%s' is not a name", text) end
   if #chain == 1 and names.keywords[name] then return format('%s is a keyword of Lua', name) end
   local value, owner = names.resolve(chain)
   local key = chain[#chain]
   if rawtype(value) ~= 'nil' then return describe(name, value, owner, key) end
   -- torch.narrow is no function, but tensors have a method of that name.
   local methods = types.default.tensor_methods
   if (#chain == 1 or owner == torch) and methods[key] then
      return format("There is no %s; this is the method of tensors:\n\n%s", name,
         describe('x:' .. key, methods[key], types.default.new_tensor(), key))
   end
   local list = names.fields(#chain == 1 and globals or owner)
   local near = owner and spelling.nearest(key, list)
   if near then return format("there is no '%s'; did you mean '%s'?", name, sub(name, 1, -#key - 1) .. near) end
   return format("there is no '%s'", name)
end

-- The text that `??name` shows.
function help.source(text)
   local chain, name = chain_of(text)
   local value = chain and names.resolve(chain)
   if rawtype(value) ~= 'function' then return format("'%s' is not a Lua function", text) end
   local source = sources.of(value)
   if not source then return format('the source of %s is not known: it is from %s', name, place(value)) end
   return format('-- %s\n%s', place(value), source)
end

-- The text that help(value) shows: a name in a string, or any value.
function help.value(value)
   if rawtype(value) == 'nil' then
      return 'nil has no help. ?name says what a name stands for, help(f) how a function is called.'
   end
   if rawtype(value) == 'string' then return help.text(value) end
   value = deferred.real(value)
   local name = rawtype(value) == 'function' and names.name_of(value) or 'this'
   local key = match(name, '[%w_]+$')
   return describe(name, value, nil, key)
end

return help

-- Describes names and values, as records for t7shell/prompt/help.py:
--    name     the requested name
--    usage    lines that show how to use it
--    facts    lines about it, such as its element types
--    doc      sentences about it
--    example  inputs, a line each
--    fields   names of fields or methods
--    from     where it is defined
--    manual   names by which the manual may know it; `owner`, the class of a method
--    message  the answer for an unknown name; `sure` if the manual need not be searched

local format, match, sub = string.format, string.match, string.sub
local getinfo, loaded = require('torch.language.stubs').getinfo, package.loaded
local class_registry, lazy = require 'torch.base.class_registry', require 'torch.class.lazy'
local install, reference = require 'torch.dispatch.install', require 'torch.dispatch.reference'
local types = require 'torch.base.types'
local about, names, lexer = require 'shell.about', require 'shell.names', require 'shell.lexer'
local sources, spelling, usage = require 'shell.sources', require 'shell.spelling', require 'shell.usage'
local globals, torch = _G, require 'torch'

local help = {}

-- The chain of names in a text such as `x:narrow` or `torch.add()`, nil for anything else.
local function chain_of(text)
   text = match(text, '^%s*(.-)%s*$')
   text = string.gsub(text, '%s*%(%s*%)$', '')
   local record = lexer.read(text)
   if record.string or record.comment then return nil end
   local chain, start = lexer.chain(text, record.code)
   if chain and chain[1] and start == 1 then return chain, text end
end

-- Tells where a function was defined. For a library file, the path from `lua/` on.
local function location(f)
   local text = sources.location(f)
   if text == 'C' or names.is_builtin(f) then return "Lua's own library, or a module of C" end
   if names.is_library(f) then
      return 'the library, ' .. (match(getinfo(f, 'S').source, 'lua[/\\](.*)$') or 'made on first use')
   end
   return text
end

local function is_class(object)
   local name = names.field(object, '__typename')
   return name and rawequal(object, class_registry.constructor(name))
end

-- Tells whether a table belongs to the library: by its constructor, or by all of its functions.
local function is_of_library(object)
   local metatable = debug.getmetatable(object)
   local make = names.field(object, '__init') or type(metatable) == 'table' and rawget(metatable, '__call')
   if type(make) == 'function' then return names.is_library(make) end
   local count = 0
   for key in next, names.fields(object) do
      local value = names.field(object, key)
      if type(value) == 'function' and not names.is_library(value) then return false end
      count = count + 1
   end
   return count > 0
end

local function describe_value(value)
   local T = types.of_tensor(value)
   if T then
      local shape = require('torch.base.geometry').shape(value)
      return format('a %s of %s', T.tensor_name, shape == '' and 'no dimension' or shape)
   end
   local kind = type(value)
   local name = class_registry.typename(value)
   if name then return 'an object of the class ' .. name end
   if kind == 'table' and is_class(value) then return 'a class' end
   if kind == 'table' then
      local count = 0
      for _ in next, value do count = count + 1 end
      return format('a table with %d %s', count, count == 1 and 'entry' or 'entries')
   end
   if kind == 'string' then return format('a string of %d bytes', #value) end
   local ok, text = pcall(tostring, value)
   return ok and format('a %s: %s', kind, text) or 'a ' .. kind
end

-- A method of a network's class as it was written, without the wrappers around it.
local function written(f)
   local calls = loaded['nn.class.calls']
   return calls and f ~= nil and calls.written[f] or f
end

local function describe(name, value, owner, key)
   value = written(value)
   local lines, row = usage.lines(name, value, owner, key)
   local record = { name = name, usage = lines, facts = {} }
   if row then
      local label = install.label(row)
      record.usage = usage.signatures(row)
      local element_types = reference.types(label)
      record.doc, record.example, record.row, record.chapter = row.doc, reference.example(label), row[1], row.chapter
      if element_types then table.insert(record.facts, 'Element types: ' .. element_types) end
      record.from = format('%s, chapter %s', row.package.name, row.chapter)
      record.manual = { row.package.name .. '.' .. row[1], row[1] }
      return record
   end
   record.manual, record.owner = usage.manual_names(name, value, owner, key)
   if type(value) == 'function' then
      record.doc, record.from = sources.comment(value), location(value)
      record.is_library = names.is_library(value)
      return record
   end
   table.insert(record.facts, format('%s is %s', name, describe_value(value)))
   if type(value) == 'table' then
      local constructor = usage.constructor(value)
      if constructor then table.insert(record.usage, constructor) end
      record.doc = about[name] or usage.elements(value)
      record.fields = names.matching(names.fields(value), '')
      record.is_class = is_class(value)
      record.is_library = is_of_library(value)
      local class = usage.class(value)
      if class then
         record.doc, record.example = require('nn.class.reference').text(class), class.example
         record.row, record.chapter = class.name, 'nn_' .. class.chapter
         record.manual = { class.name }
      end
   end
   return record
end

-- Returns the record of a name as `?name` asks for it.
function help.of_name(text)
   local chain, name = chain_of(text)
   if not chain then return { message = format("help: '%s' is not a name", text) } end
   if #chain == 1 and names.keywords[name] then
      return { message = format('%s is a keyword of Lua', name), sure = true }
   end
   local value, owner = names.resolve(chain)
   local key = chain[#chain]
   if type(value) ~= 'nil' then return describe(name, value, owner, key) end
   -- torch.narrow is not a function, but tensors have a method of that name; so may `x`, whose value is unknown.
   local methods = types.default.tensor_methods
   local of_variable = #chain == 2 and type(owner) == 'nil' and match(name, '^[%a_][%w_]*:')
   if (#chain == 1 or owner == torch or of_variable) and methods[key] then
      local record = describe('x:' .. key, methods[key], types.default.new_tensor(), key)
      if not of_variable then record.note = format('There is no %s; this is the method of tensors.', name) end
      return record
   end
   local list = names.fields(#chain == 1 and globals or owner)
   local near = owner and spelling.nearest(key, list)
   if near then
      return { message = format("there is no '%s'; did you mean '%s'?", name, sub(name, 1, -#key - 1) .. near),
         sure = true }
   end
   return { message = format("there is no '%s'", name) }
end

-- Returns the source of a function, or of the constructor of a class, as text for `??name`, and true; if there is none,
-- the reason and false.
function help.source(text)
   local chain, name = chain_of(text)
   local value = written(chain and names.resolve(chain))
   if type(value) == 'table' and type(names.field(value, '__typename')) == 'string' then
      value, name = written(names.field(value, '__init')), name .. '.__init'
   end
   if type(value) ~= 'function' then return format("'%s' is not a Lua function", text), false end
   local source = sources.of(value)
   if not source then return format('the source of %s is not known: it is from %s', name, location(value)), false end
   return format('-- %s\n%s', location(value), source), true
end

-- Returns the record of a value; of a string, which asks as `?` does, only the request; nil for nil.
function help.of_value(value)
   if type(value) == 'nil' then return nil end
   if type(value) == 'string' then return { request = value } end
   value = lazy.real(value)
   local name = names.name_of(value)
   return describe(name, value, nil, match(name, '[%w_]+$'))
end

return help

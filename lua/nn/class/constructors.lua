-- Constructors made from the rows of classes: the arguments that a row documents, constructors that store them in
-- fields, and checks that name a missing or wrong argument.
--
-- A row's `takes` is a list of words, one for each parameter; a question mark lets nil and false stand for the default:
--
--    size         a number of at least 1
--    number       a number
--    whole        a number, which is truncated; neither nan nor infinite
--    tensor       a tensor
--    type         the name of a class of tensors
--    text         a string
--    flag         true or false
--    module       a module or a criterion: an object with updateOutput
--    any          anything
--
-- Strings that read as numbers are numbers, as they are for tensors.

local concat, insert = table.concat, table.insert
local format = string.format
local check, class_registry = require 'torch.base.check', require 'torch.base.class_registry'
local expect, raise = require 'nn.checks.expect', require('torch.base.errors').raise
local template = require 'torch.jit.template'
local types = require 'torch.base.types'

local constructors = {}

-- The arguments that a row documents, see reference.lua: a list of { name, default or nil, whether it may be left out,
-- meaning }.
function constructors.arguments_of(row)
   local list = {}
   for i, text in ipairs(row.arguments or {}) do
      local name, default, mark, meaning = string.match(text, '^([%w_.]+)=?([^:?]*)(%??): (.*)$')
      list[i] = { name, default ~= '' and default or nil, default ~= '' or mark == '?', meaning }
   end
   return list
end

local fields_source = [[
return function($parameters)
   base.__init($inherited)
   $fields
   finish(self)
end]]

local function nothing() end

-- The constructor of a class whose row says `fields`: it keeps the arguments that the row documents in fields of their
-- names, then calls finish(self), the __init of the class's file, which sets the others; it may be nil. `base` has the
-- methods of the parent, whose own row is `base_row`.
function constructors.with_fields(row, base, base_row, finish)
   local parameters, inherited, fields = { 'self' }, { 'self' }, {}
   local kept = base_row and base_row.fields and #base_row.arguments or 0
   for i, argument in ipairs(constructors.arguments_of(row)) do
      local name, default = argument[1], argument[2]
      insert(parameters, name)
      if i <= kept then
         insert(inherited, name)
      else
         -- A default may refer to an earlier argument. Only nil is replaced by `true`.
         if default == 'true' then
            insert(fields, format("if type(%s) == 'nil' then %s = true end", name, name))
         elseif default then
            insert(fields, format('%s = %s or %s', name, name, default))
         end
         insert(fields, format('self.%s = %s', name, name))
      end
   end
   local values = { parameters = concat(parameters, ', '), inherited = concat(inherited, ', '),
      fields = concat(fields, '\n   ') }
   return template.compile('nn ' .. row[1], fields_source, values,
      { base = base, finish = finish or nothing, type = type })
end

local checked_source = [[
return function($parameters)
   if $missing then complain($needed) end
   $checks
   init($parameters)
end]]

local huge = math.huge
local kinds = {}

function kinds.number(function_name, what, value) return check.number(function_name, what, value) end

function kinds.whole(function_name, what, value) return check.integer(function_name, what, value) end

function kinds.size(function_name, what, value)
   local number = check.number(function_name, what, value)
   if not (number >= 1 and number < huge) then
      check.argument_error(function_name, what, 'a number of at least 1', value)
   end
   return number
end

function kinds.tensor(function_name, what, value)
   if not types.of_tensor(value) then check.argument_error(function_name, what, 'a tensor', value) end
   return value
end

function kinds.type(function_name, what, value)
   local metatable = type(value) == 'string' and class_registry.metatable(value)
   if not metatable or not string.match(value, 'Tensor$') then
      check.argument_error(function_name, what, 'the name of a type of tensors', value)
   end
   return value
end

function kinds.text(function_name, what, value) return check.kind(function_name, what, value, 'string') end

kinds.flag = expect.flag

kinds.module = expect.updates_output

-- The constructor `init` of nn[name] with a check of its arguments. Its parameters keep their names.
function constructors.checked(name, init, words)
   local parameters, missing, needed, checks, info = {}, {}, {}, {}, debug.getinfo(init, 'u')
   for i = 1, info.nparams do insert(parameters, (debug.getlocal(init, i))) end
   local count = 0
   for word, optional in string.gmatch(words, '(%a+)(%??)') do
      count = count + 1
      local parameter = parameters[count + 1] or 'sizes'
      if optional == '' then
         needed[count] = parameter
         missing[count] = "type(" .. (parameters[count + 1] or '(...)') .. ") == 'nil'"
      end
      if word ~= 'any' then
         local given = optional == '?' and format('if %s then ', parameter) or ''
         insert(checks, format("%s%s = kinds.%s(function_name, '%s', %s)%s", given, parameter, word, parameter,
            parameter, given ~= '' and ' end' or ''))
      end
   end
   if info.isvararg then insert(parameters, '...') end
   local wanted, function_name = concat(needed, ', '), 'nn.' .. name

   local function complain(...)
      local given, first = 0, nil
      for i = 1, #needed do
         local is_nil = type((select(i, ...))) == 'nil'
         if not is_nil then given = i elseif not first then first = i end
      end
      local got = given < first and format('%d argument%s', given, given == 1 and '' or 's')
         or 'nil as ' .. needed[first]
      raise('%s: needs %s (got %s)', function_name, wanted, got)
   end

   local values = {
      parameters = concat(parameters, ', '), needed = concat(parameters, ', ', 2), checks = concat(checks, '\n   '),
      missing = #missing > 0 and concat(missing, ' or ') or 'false',
   }
   return template.compile('nn ' .. name, checked_source, values,
      { complain = complain, init = init, type = type, kinds = kinds, function_name = function_name })
end

return constructors

-- usage, usage_module and error: the arguments of a function, as a page of text.

local sys = require 'sys'
local check, colors = require 'torch.base.check', sys.COLORS
local format = string.format

local RULE = string.rep('+', 69)
local COLUMN = 40      -- where the help of an argument begins

return function(xlua)
   local function default_of(argument)
      local default = argument.default
      if not argument.arg or default == nil and not argument.defaulta then return '' end
      if default == nil then return format('  [default == %s]', argument.defaulta) end
      return format('  [default = %s]', type(default) == 'table' and xlua.table2string(default) or tostring(default))
   end

   local function argument_line(argument)
      local name = argument.arg and argument.arg .. ' = ' .. tostring(argument.type) or tostring(argument.type)
      if not argument.req then name = '[' .. name .. ']' end
      local line = '    ' .. name
      return line .. string.rep(' ', COLUMN - #line) .. '-- ' .. (argument.help or '') .. default_of(argument) .. '\n'
   end

   -- The page for a function: `name`, `description` and `example` are strings or nil, then one table for each argument,
   -- { arg = name, type =, help =, req = , default = }. Arguments without names are positional; a string between
   -- them begins another way to call the function. Arguments may also come as { tabled = { ... } }.
   function xlua.usage(name, description, example, ...)
      local first = ...
      if type(first) == 'table' and first.tabled then
         return xlua.usage(name, description, example, unpack(first.tabled))
      end
      check.kind('xlua.usage', 'the name', name, 'string')
      if description then check.kind('xlua.usage', 'the description', description, 'string') end
      if example then check.kind('xlua.usage', 'the example', example, 'string') end
      local out = { RULE, '\n', colors.Magenta, name, colors.none, '\n\n' }
      local function add(text) out[#out + 1] = text end
      if description then add(description .. '\n\n') end
      add(colors.blue .. '> ' .. colors.none .. 'usage:\n' .. colors.cyan)
      local closing
      for i = 1, select('#', ...) do
         local argument = (select(i, ...))
         if type(argument) == 'table' then
            if not closing then
               add(name .. (argument.arg and '{\n' or '(\n'))
               closing = argument.arg and '}\n' or ')\n'
            end
            add(argument_line(argument))
         elseif closing then
            add(closing)
            closing = nil
         end
      end
      add((closing or '') .. colors.none)
      if example then add('\n' .. colors.cyan .. example .. colors.none .. '\n') end
      add(RULE)
      return table.concat(out)
   end

   -- Makes a module show its name and description when it is printed, a text that it returns.
   function xlua.usage_module(module, name, description)
      if type(module) ~= 'table' then check.argument_error('xlua.usage_module', 'the module', 'a table', module) end
      check.kind('xlua.usage_module', 'the name', name, 'string')
      if description then check.kind('xlua.usage_module', 'the description', description, 'string') end
      description = description and '\nDESC:\n' .. description .. '\n' or ''
      local text = colors.magenta .. RULE .. '\nPACKAGE:\n' .. name .. '\n' .. description .. RULE .. '+' .. colors.none
      local metatable = getmetatable(module) or {}
      check.kind('xlua.usage_module', "the module's metatable", metatable, 'table')
      metatable.__tostring = function() return text end
      setmetatable(module, metatable)
      return text
   end

   -- Prints `usage`, if there is any, and raises an error that names the function.
   function xlua.error(message, name, usage)
      local parts = {}
      for _, part in ipairs { name or false, message or 'error' } do
         if part then parts[#parts + 1] = tostring(part) end
      end
      if usage then xlua.print(usage) end
      error(table.concat(parts, ': '), 3)
   end
end

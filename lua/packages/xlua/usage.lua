-- usage, usage_module and error: the arguments of a function, as a page of text.

local sys = require 'sys'
local check, colors = require 'torch.base.check', sys.COLORS
local format = string.format

local RULE = string.rep('+', 69)
local COLUMN = 40      -- where the help of an argument begins

return function(xlua)
   local function default_of(argument)
      if argument.defaulta then return format('  [default == %s]', argument.defaulta) end
      local default = argument.default
      if default == nil then return '' end
      return format('  [default = %s]', type(default) == 'table' and xlua.table2string(default) or tostring(default))
   end

   local function argument_line(argument)
      local name = argument.arg and argument.arg .. ' = ' .. tostring(argument.type) or tostring(argument.type)
      if not argument.req then name = '[' .. name .. ']' end
      local line = '    ' .. name
      local gap = string.rep(' ', COLUMN - #line)
      return line .. (gap == '' and ' ' or gap) .. '-- ' .. (argument.help or '') .. default_of(argument) .. '\n'
   end

   -- The page for a function: `name`, `description` and `example` are strings or nil, then one table for each argument,
   -- { arg = name, type =, help =, req = , default = }. Arguments without names are positional; a string between
   -- them begins another way to call the function.
   function xlua.usage(name, description, example, ...)
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

   -- Makes a module show its name and description when it is printed.
   function xlua.usage_module(module, name, description)
      if type(module) ~= 'table' then check.argument_error('xlua.usage_module', 'the module', 'a table', module) end
      check.kind('xlua.usage_module', 'the name', name, 'string')
      check.kind('xlua.usage_module', 'the description', description, 'string')
      local lines = { RULE, 'PACKAGE:', name, '', 'DESC:', description, RULE .. '+' }
      local text = colors.magenta .. table.concat(lines, '\n') .. colors.none
      return setmetatable(module, { __tostring = function() return text end })
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

-- unpack and unpack_class: arguments by position or by name.

local torch = require 'torch'
local check = require 'torch.base.check'

-- A single table that is neither a list nor an object holds arguments by name.
local function by_name(args)
   local first = args[1]
   return #args == 1 and type(first) == 'table' and #first == 0 and not (torch.typename and torch.typename(first))
end

-- Calls by name and by position, of functions of several arguments; names come in any order.
local function example(name, definitions)
   local first, second = definitions[1], definitions[2]
   if not second then return nil end
   return string.format('%s{%s=%s, %s=%s}\n%s(%s, ...)', name, second.arg, second.type, first.arg, first.type, name,
      first.type)
end

return function(xlua)
   -- The first `count` values in the order of the definitions, and all by name.
   local function read(args, name, description, ...)
      check.kind('xlua.unpack', 'the arguments', args, 'table')
      local definitions, count = { ... }, select('#', ...)
      for i = 1, count do
         local definition = check.kind('xlua.unpack', 'the definition of argument ' .. i, definitions[i], 'table')
         check.kind('xlua.unpack', 'the name of argument ' .. i, definition.arg, 'string')
      end
      local given = by_name(args) and args[1] or nil
      local values, named = {}, {}
      for i, argument in ipairs(definitions) do
         local value
         if given then value = given[argument.arg] else value = args[i] end
         if value == nil then value = argument.default end
         if value == nil and argument.defaultf then value = argument.defaultf() end
         if value == nil and argument.defaulta then value = named[argument.defaulta] end
         if value == nil and argument.req then
            print(xlua.usage(name, description, example(name, definitions), ...))
            error(string.format('%s: argument %s must be a %s (got nil)', name, argument.arg, argument.type), 4)
         end
         values[i], named[argument.arg] = value, value
      end
      return values, count, named
   end

   -- A table that shows the usage of a function when it is printed.
   local function usage_of(name, description, ...)
      local definitions = { ... }
      return setmetatable({}, { __tostring = function()
         return xlua.usage(name, description, example(name, definitions), unpack(definitions))
      end })
   end

   -- Reads the arguments `args` of a function: `{...}`, either values in order or one table of named ones. After the
   -- name and the description of the function comes a table for each argument, as for xlua.usage; `default` is used
   -- for a missing one, `defaultf` makes it, `defaulta` names the argument whose value it is. Returns a table of the
   -- values by name and by number, with `usage`, then the values in order. Without a required argument it prints the
   -- usage and raises an error.
   function xlua.unpack(args, name, description, ...)
      local values, count, named = read(args, name, description, ...)
      for i = 1, count do named[i] = values[i] end
      named.usage = usage_of(name, description, ...)
      return named, unpack(values, 1, count)
   end

   -- The same; the values become fields of `object`.
   function xlua.unpack_class(object, args, name, description, ...)
      if type(object) ~= 'table' then check.argument_error('xlua.unpack_class', 'the object', 'a table', object) end
      local _, _, named = read(args, name, description, ...)
      for key, value in pairs(named) do object[key] = value end
      object.usage = usage_of(name, description, ...)
   end
end

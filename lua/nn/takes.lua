-- Constructors that need their first arguments: an error that names those, where the constructor would fail later.

local concat, insert = table.concat, table.insert
local format, getinfo, getlocal, select, type = string.format, debug.getinfo, debug.getlocal, select, type
local raise = require('torch.core.errors').raise
local template = require 'torch.core.template'

local source = [[
return function($parameters)
   if $missing then complain($needed) end
   init($parameters)
end]]

-- The constructor `init` of nn[name] with a check that its first `count` arguments are there. Its parameters keep their
-- names.
return function(name, init, count)
   local parameters, missing, info = {}, {}, getinfo(init, 'u')
   for i = 1, info.nparams do insert(parameters, (getlocal(init, i))) end
   local needed = {}
   for i = 1, count do
      needed[i] = parameters[i + 1] or 'sizes'
      missing[i] = "type(" .. (parameters[i + 1] or '(...)') .. ") == 'nil'"
   end
   if info.isvararg then insert(parameters, '...') end
   local wanted = concat(needed, ', ')

   local function complain(...)
      local given, first = 0, nil
      for i = 1, count do
         local is_nil = type((select(i, ...))) == 'nil'
         if not is_nil then given = i elseif not first then first = i end
      end
      local got = given < first and format('%d argument%s', given, given == 1 and '' or 's')
         or 'nil as ' .. needed[first]
      raise('nn.%s: expected %s (got %s)', name, wanted, got)
   end

   local values = {
      parameters = concat(parameters, ', '), needed = concat(parameters, ', ', 2), missing = concat(missing, ' or '),
   }
   return template.compile('nn ' .. name, source, values, { complain = complain, init = init, type = type })
end

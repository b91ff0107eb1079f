-- require, installed, trycatch and envparams: what may be missing.

local getenv = os.getenv
local globals = _G
local check = require 'torch.base.check'

local TRUE = { ['1'] = true, ['true'] = true, yes = true, on = true }

return function(xlua)
   -- Loads a package; where that fails, prints a warning and returns false. `silent` leaves out the warning.
   function xlua.require(name, silent)
      check.kind('xlua.require', 'the name', name, 'string')
      local ok, result = pcall(require, name)
      if ok then return result end
      if not silent then
         globals.print(tostring(result))
         globals.print('warning: <' .. name .. '> could not be loaded (is it installed?)')
      end
      return false
   end

   -- This asked the package manager of the time.
   function xlua.installed()
      error('xlua.installed: there is no package manager to ask; try pcall(require, name)', 2)
   end

   -- Calls `try`, and `catch` with the error if it raises one.
   function xlua.trycatch(try, catch)
      check.callable('xlua.trycatch', 'try', try)
      check.callable('xlua.trycatch', 'catch', catch)
      local ok, message = pcall(try)
      if not ok then catch(message) end
   end

   -- A copy of a table of parameters in which variables of the environment stand in for their defaults, converted to
   -- the types of these.
   function xlua.envparams(defaults)
      local params = {}
      for name, default in pairs(check.kind('xlua.envparams', 'the defaults', defaults, 'table')) do
         check.kind('xlua.envparams', 'a name', name, 'string')
         local value = getenv(name)
         if value == nil then
            value = default
         elseif type(default) == 'number' then
            value = tonumber(value)
            if not value then error('xlua.envparams: value must be a number in the variable ' .. name, 2) end
         elseif type(default) == 'boolean' then
            value = TRUE[value:lower()] or false
         end
         params[name] = value
      end
      return params
   end
end

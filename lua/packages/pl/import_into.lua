-- pl.import_into: import_into(environment) lets all modules of Penlight be read in a table, a new one by default; true
-- for the caller's globals.

local modules = require('torch.jit.loader').own 'pl.modules'

return function(environment)
   if environment == true then environment = getfenv(2) end
   environment = environment or {}
   local metatable = getmetatable(environment) or {}
   local before = metatable.__index
   function metatable.__index(t, name)
      local value
      if type(before) == 'function' then value = before(t, name) elseif before ~= nil then value = before[name] end
      if value == nil then value = modules[name] end
      return value
   end
   return setmetatable(environment, metatable)
end

-- Watches global variables for `th -g`: those that a program creates, or reads before they have a value.

local is_library = require('torch.base.errors').is_library
local globals = _G

local global_monitor = {}

-- Begins to watch. `how` is 'warn', on the standard error, or 'fail'.
function global_monitor.begin(new_mode)
   local metatable = getmetatable(globals) or {}
   local inherited = metatable.__index

   local function tell(what, name)
      local frame = debug.getinfo(3, 'Sl')
      if not frame or is_library(frame.source) or frame.what == 'C' then return end
      local message = string.format("%s global variable '%s'", what, tostring(name))
      if new_mode == 'fail' then error(message, 3) end
      io.stderr:write(string.format('%s:%d: warning: %s\n', frame.short_src, frame.currentline, message))
   end

   function metatable.__newindex(t, name, value)
      tell('created', name)
      rawset(t, name, value)
   end

   function metatable.__index(t, name)
      local value
      if type(inherited) == 'function' then value = inherited(t, name) elseif inherited then value = inherited[name] end
      if value == nil then tell('read of the undefined', name) end
      return value
   end

   setmetatable(globals, metatable)
end

return global_monitor

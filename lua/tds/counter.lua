-- tds.AtomicCounter: a number that is counted up.

local getfenv, setfenv = debug.getfenv, debug.setfenv
local class, errors, userclass = require 'torch.core.class_registry', require 'torch.core.errors',
   require 'torch.lib.userclass'

return function(tds)
   local Counter, new = userclass.userdata('tds.AtomicCounter', nil, tds, true)

   local function zero()
      local object = new()
      setfenv(object, { count = 0 })
      return object
   end
   class.register('tds.AtomicCounter', Counter, class.constructor 'tds.AtomicCounter', zero)

   function Counter.new() return zero() end

   function Counter:get() return getfenv(self).count end

   function Counter:set(value) getfenv(self).count = errors.integer('set', 1, value) end

   -- Adds 1, or a number, and returns what it was before.
   function Counter:inc(step)
      local state = getfenv(self)
      local before = state.count
      state.count = before + (step == nil and 1 or errors.integer('inc', 1, step))
      return before
   end

   function Counter:write(file) file:writeLong(getfenv(self).count) end

   function Counter:read(file) getfenv(self).count = file:readLong() end
end

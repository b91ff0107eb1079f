-- tds.AtomicCounter: a counter.

local getfenv = debug.getfenv
local errors = require 'torch.base.errors'

return function(tds)
   local Counter, zero = tds._class('tds.AtomicCounter', function() return { count = 0 } end)

   function Counter.new() return zero() end

   function Counter:get() return getfenv(self).count end

   function Counter:set(value) getfenv(self).count = errors.integer('set', 1, value) end

   -- Adds 1, or a number, and returns the old value.
   function Counter:inc(step)
      local state = getfenv(self)
      step = step == nil and 1 or errors.integer('inc', 1, step)
      if state.address then return tds._add(state, step) end
      local before = state.count
      state.count = before + step
      return before
   end

   function Counter:__tostring__() return string.format('tds.AtomicCounter=%d', self:get()) end

   tds._filed(Counter, 'tds.AtomicCounter', Counter.get, function(object, count) getfenv(object).count = count end)
end

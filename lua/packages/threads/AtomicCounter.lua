-- threads.AtomicCounter: an integer that threads count up and down.

local errors, handles, locks = require 'torch.base.errors', require 'threads.handles', require 'torch.base.locks'

local AtomicCounter = handles.class('AtomicCounter', 'char mutex[64]; double count;',
   function(c) locks.init(c.mutex) end,
   function(c) locks.destroy(c.mutex) end)

local function add(c, step)
   locks.lock(c.mutex)
   local before = c.count
   c.count = before + step
   locks.unlock(c.mutex)
   return before
end

-- Adds 1, or a number, and returns the old value.
function AtomicCounter:inc(step)
   local c = AtomicCounter.struct(self, 'inc')
   return (add(c, step == nil and 1 or errors.integer('inc', 1, step)))
end

-- Subtracts 1, or a number, and returns the old value.
function AtomicCounter:dec(step)
   local c = AtomicCounter.struct(self, 'dec')
   return (add(c, step == nil and -1 or -errors.integer('dec', 1, step)))
end

-- LuaJIT reloads memory after a C call: a loop that waits for a count must see changes.
function AtomicCounter:get() return (add(AtomicCounter.struct(self, 'get'), 0)) end

function AtomicCounter:set(value)
   local c = AtomicCounter.struct(self, 'set')
   value = errors.integer('set', 1, value)
   locks.lock(c.mutex)
   c.count = value
   locks.unlock(c.mutex)
end

return AtomicCounter

-- threads.Mutex: one thread at a time between lock() and unlock().

local jit = jit
local errors, handles, locks = require 'torch.base.errors', require 'threads.handles', require 'torch.base.locks'

local Mutex = handles.class('Mutex', 'char mutex[64], unlocked[64]; int held;', function(m)
   locks.init(m.mutex)
   locks.init_condition(m.unlocked)
end, function(m) locks.destroy(m.mutex) end)

-- Waits until the mutex is free, and locks it.
function Mutex:lock()
   local m = Mutex.struct(self, 'lock')
   while true do
      -- Ctrl-C may arrive, or another state may never unlock.
      locks.lock(m.mutex)
      if m.held == 0 then break end
      locks.wait(m.unlocked, m.mutex)
      if m.held == 0 then break end
      locks.unlock(m.mutex)
   end
   m.held = 1
   locks.unlock(m.mutex)
end
jit.off(Mutex.lock)

function Mutex:unlock()
   local m = Mutex.struct(self, 'unlock')
   locks.lock(m.mutex)
   local held = m.held
   m.held = 0
   if held == 1 then locks.signal(m.unlocked) end
   locks.unlock(m.mutex)
   if held == 0 then errors.raise 'Mutex:unlock: the mutex is not locked' end
end

return Mutex

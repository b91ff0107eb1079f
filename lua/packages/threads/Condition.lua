-- threads.Condition: threads wait for the signal of another one.

local jit = jit
local check, handles, locks = require 'torch.base.check', require 'threads.handles', require 'torch.base.locks'

local Condition = handles.class('Condition', 'char mutex[64], signalled[64]; double waiting, signals;', function(c)
   locks.init(c.mutex)
   locks.init_condition(c.signalled)
end, function(c) locks.destroy(c.mutex) end)

-- Unlocks a mutex, waits for a signal, and locks the mutex again.
function Condition:wait(mutex)
   local c = Condition.struct(self, 'wait')
   if type(mutex) ~= 'table' or (getmetatable(mutex) or {}).__handle ~= 'Mutex' then
      check.argument_error('Condition:wait', 'the mutex', 'a threads.Mutex', mutex)
   end
   locks.lock(c.mutex)
   c.waiting = c.waiting + 1
   locks.unlock(c.mutex)
   mutex:unlock()
   local signalled = false
   repeat
      locks.lock(c.mutex)
      if c.signals == 0 then locks.wait(c.signalled, c.mutex) end
      if c.signals > 0 then
         c.signals, c.waiting, signalled = c.signals - 1, c.waiting - 1, true
      end
      locks.unlock(c.mutex)
   until signalled
   mutex:lock()
end
jit.off(Condition.wait)

-- Wakes one of the waiting threads; without one it does nothing.
function Condition:signal()
   local c = Condition.struct(self, 'signal')
   locks.lock(c.mutex)
   if c.signals < c.waiting then
      c.signals = c.signals + 1
      locks.signal(c.signalled)
   end
   locks.unlock(c.mutex)
end

return Condition

-- threads.safe: a function that one thread at a time runs.

local check, Mutex = require 'torch.base.check', require 'threads.Mutex'

local function finish(mutex, ok, ...)
   mutex:unlock()
   if not ok then error((...), 0) end
   return ...
end

-- Wraps f between mutex:lock() and mutex:unlock(), also if it raises an error; creates a mutex if none is given.
return function(f, mutex)
   check.callable('threads.safe', 'argument 1', f)
   if mutex == nil then
      mutex = Mutex.new()
   elseif type(mutex) ~= 'table' or (getmetatable(mutex) or {}).__handle ~= 'Mutex' then
      check.argument_error('threads.safe', 'the mutex', 'a threads.Mutex', mutex)
   end
   return function(...)
      mutex:lock()
      return finish(mutex, pcall(f, ...))
   end
end

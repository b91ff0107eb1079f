-- ipc.map(n, f, ...): n threads at once call f(..., i), where i is the number of the thread. Tensors among the
-- arguments and results share their memory.

local check, Queue, Threads = require 'torch.base.check', require 'threads.Queue', require 'threads.Threads'

local Map = {}
Map.__index = Map

local MAX_THREADS = 1024

local function check_map(map, name)
   if type(map) ~= 'table' or not rawequal(getmetatable(map), Map) then
      check.argument_error('map:' .. name, 'the threads', 'what ipc.map returned before the colon', map)
   end
   return map
end

-- Takes the results of threads that have ended, and keeps the first error.
local function collect(map)
   local pool = map.pool
   while pool:hasjob() and not Queue.is_empty(pool.results.struct) do
      local ok, reason = pcall(pool.dojob, pool)
      if not ok then map.failure = map.failure or reason end
   end
end

-- Waits for all threads, and returns all results of the first one, then those of the second one, and so on. Raises the
-- first error of a thread, when all have ended. The next call returns nothing.
function Map:join()
   check_map(self, 'join')
   if not self.pool:isrunning() then return end
   local ok, caught = pcall(self.pool.terminate, self.pool)
   local failure = self.failure or not ok and caught
   if failure then error(failure, 0) end
   local values, count = {}, 0
   for i = 1, self.pool.N do
      local found = self.results[i]
      for k = 1, found.n do values[count + k] = found[k] end
      count = count + found.n
   end
   return unpack(values, 1, count)
end

-- Raises the first error of the threads that have ended, and does not wait for the others.
function Map:checkErrors()
   collect(check_map(self, 'checkErrors'))
   if self.failure then error(self.failure, 0) end
end

-- Tells whether all threads have ended.
function Map:done()
   collect(check_map(self, 'done'))
   return not self.pool:hasjob()
end

return function(n, f, ...)
   check.integer('ipc.map', 'the number of threads', n, 1, MAX_THREADS)
   check.callable('ipc.map', 'argument 2', f)
   local map = setmetatable({ pool = Threads.with_scheme('threads.sharedserialize', n), results = {} }, Map)
   local arguments, count = { ... }, select('#', ...) + 1
   map.pool:specific(true)
   for i = 1, n do
      arguments[count] = i
      local function done(...) map.results[i] = { n = select('#', ...), ... } end
      map.pool:addjob(i, f, done, unpack(arguments, 1, count))
   end
   return map
end

-- threads.Threads: a pool of threads, each with a separate Lua state, that run jobs.
--
-- Jobs go through one queue and results through another. The capacity of the job queue is the number of threads; a job
-- for a certain thread is a message in its lane.

local collectgarbage, math, pcall, tostring = collectgarbage, math, pcall, tostring
local error, format, getmetatable, ipairs, newproxy = error, string.format, getmetatable, ipairs, newproxy
local io, package, rawequal, unpack, xpcall = io, package, rawequal, unpack, xpcall
local ffi = require 'ffi'
local check, errors = require 'torch.base.check', require 'torch.base.errors'
local dialect, finalizers = require 'torch.base.dialect', require 'torch.memory.finalizers'
local host, locks = require('torch.native.host').of 'threads', require 'torch.base.locks'
local message, output, Queue = require 'threads.message', require 'shell.output', require 'threads.Queue'
local hooks, traceback = require 'shell.hooks', require 'shell.traceback'
local cast = ffi.cast

local Threads = { __serialize = 'threads.serialize' }
Threads.__index = Threads

local MAX_THREADS = 1024

-- Pools that have not ended.
local running = setmetatable({}, { __mode = 'k' })

-- The collector sees of a pool the few tables here, not the states of its threads: it runs when there are twice as many
-- pools as after its last run.
local collect_at = 2

local function collect_dropped()
   local function count()
      local n = 0
      for _ in next, running do n = n + 1 end
      return n
   end
   if count() < collect_at then return end
   collectgarbage()
   collect_at = math.max(2, 2 * count())
end

-- How values are passed to the threads of pools created from now on: copied, 'threads.serialize'; with tensors on the
-- same memory, 'threads.sharedserialize'; or by functions save and load of a module. Without a name it returns the
-- current one.
function Threads.serialization(name)
   if name == nil then return Threads.__serialize end
   check.kind('threads.serialization', 'the scheme', name, 'string')
   if not message.is_scheme(name) then
      local ok, module = pcall(require, name)
      if not ok or type(module) ~= 'table' or not module.save or not module.load then
         check.argument_error('threads.serialization', 'the scheme',
            "'threads.serialize', 'threads.sharedserialize' or a module with the functions save and load", name)
      end
   end
   Threads.__serialize = name
end

-- Lets the threads end when they have finished their jobs, without waiting for them.
local function close(pool)
   pool.is_running, running[pool] = false, nil
   if pool.process == locks.process() then
      if pool.flags then pool.flags[pool.N + 2] = 1 end
      Queue.close(pool.jobs.struct)
      pool.jobs:free()
      pool.results:free()
   end
end

-- Ends a pool if a thread failed outside of its jobs.
local function check_failure(pool)
   if pool.flags[pool.N + 1] == 0 then return end
   pool.callbacks, pool.tensors, pool.pending = {}, {}, 0
   close(pool)
   errors.raise 'threads: a thread of the pool has failed, and the pool was ended'
end

-- Waits until threads interrupted by Ctrl-C have stopped, and forgets their jobs.
local function settle(pool)
   local flags, jobs, results = pool.flags, pool.jobs.struct, pool.results.struct
   while true do
      check_failure(pool)
      Queue.drop(jobs)
      locks.lock(jobs.mutex)
      locks.broadcast(jobs.added)
      local busy = jobs.busy
      for i = 1, pool.N do busy = busy + flags[i] end
      if busy > 0 then locks.wait(jobs.taken, jobs.mutex) end
      locks.unlock(jobs.mutex)
      if busy == 0 then break end
   end
   Queue.drop(results)
   pool.callbacks, pool.tensors, pool.pending = {}, {}, 0
   flags[0] = 0
end

local function check_pool(pool, name)
   if type(pool) ~= 'table' or not rawequal(getmetatable(pool), Threads) then
      check.argument_error(name, 'the pool', 'a threads.Threads before the colon', pool)
   end
   if pool.is_running and pool.process ~= locks.process() then
      check.fail(name, 'the threads of this pool belong to the process before the fork')
   end
   if pool.is_running and pool.flags[0] == 1 then settle(pool) end
   return pool
end

local function check_running(pool, name)
   check_pool(pool, name)
   if not pool.is_running then check.fail(name, 'the pool was terminated') end
   return pool
end

local function check_lane(pool, name, index)
   return check.integer(name, 'the thread', index, 1, pool.N)
end

-- Adds a job to a lane. Its results are passed to done(...) in this thread.
local function send(pool, lane, f, done, ...)
   local m, tensors = message.pack(pool.scheme, { n = select('#', ...) + 1, f, ... })
   local id = pool.last + 1
   pool.last, pool.pending = id, pool.pending + 1
   pool.callbacks[id], pool.tensors[id] = done or false, tensors[1] and tensors or nil
   m.lane, m.id, m.status = lane, id, output.is_taken() and 1 or 0
   Queue.put(pool.jobs.struct, m)
end

-- Gives tensors the sizes that a job has set, as if both sides had the same objects.
local function update(tensors, changed)
   for i, t in next, changed do tensors[i]:set(t) end
end

local function fail(pool, where, sender, text)
   pool.errors = true
   error(format('[thread %d %s] %s', sender, where, text), 0)
end

-- Takes a result and passes it to its function.
local function take_result(pool)
   local results = pool.results.struct
   local m = Queue.take(results, 0, pool.is_stopped)
   if not m then
      check_failure(pool)
      settle(pool)
      errors.raise 'threads: a thread was interrupted: its jobs are lost'
   end
   local id, status, sender = m.id, m.status, m.sender
   local done, tensors = pool.callbacks[id], pool.tensors[id]
   pool.callbacks[id], pool.tensors[id], pool.pending = nil, nil, pool.pending - 1
   Queue.safe()
   local ok, values = pcall(message.unpack, m)
   if not ok then fail(pool, 'result', sender, values) end
   if values[1] then io.write(values[1]) end
   if values[2] then update(tensors, values[2]) end
   if status == 1 then fail(pool, 'callback', sender, values[3]) end
   if done then
      local handled, reason = xpcall(done, traceback, unpack(values, 3, values.n))
      if not handled then fail(pool, 'endcallback', sender, message.of_failure(reason)) end
   end
end

-- pool:addjob([thread,] f [, done [, ...]]): a thread calls f(...), then this one calls done(results of f). The number
-- of the thread comes first after pool:specific(true). While the queue is full, results are processed.
function Threads:addjob(...)
   check_running(self, 'addjob')
   self.errors = false
   local lane, first = 0, 1
   if self.is_specific then lane, first = check_lane(self, 'addjob', (...)), 2 end
   local f, done = select(first, ...)
   check.callable('addjob', 'argument ' .. first, f)
   if done ~= nil then check.callable('addjob', 'argument ' .. first + 1, done) end
   -- A thread that takes the last job must not wait for another one before that job is done and its result processed.
   while not Queue.wait_for_progress(self.jobs.struct, lane, self.results.struct, self.is_stopped) do
      take_result(self)
   end
   send(self, lane, f, done, select(first + 2, ...))
   return true
end

-- Tells whether addjob would return at once; for a certain thread after pool:specific(true).
function Threads:acceptsjob(index)
   check_running(self, 'acceptsjob')
   local lane = 0
   if self.is_specific then lane = check_lane(self, 'acceptsjob', index) end
   return Queue.has_space(self.jobs.struct, lane)
end

-- Tells whether there are jobs whose results have not been processed.
function Threads:hasjob()
   return check_pool(self, 'hasjob').pending > 0
end

-- Waits for the result of a job and passes it to its function. Raises the error of the job, or of the function.
function Threads:dojob()
   check_running(self, 'dojob')
   self.errors = false
   if self.pending == 0 then check.fail('dojob', 'there are no jobs') end
   take_result(self)
end

-- Waits for all jobs.
function Threads:synchronize()
   check_pool(self, 'synchronize')
   if not self.is_running then return end
   self.errors = false
   while self.pending > 0 do take_result(self) end
end

-- Tells whether the last processed job, or its function, ended in an error.
function Threads:haserror() return check_pool(self, 'haserror').errors end

function Threads:isrunning() return check_pool(self, 'isrunning').is_running end

-- Sets whether addjob takes the number of a thread, and waits for pending jobs; without a value it returns the setting.
function Threads:specific(flag)
   check_running(self, 'specific')
   if flag == nil then return self.is_specific end
   check.kind('specific', 'argument 1', flag, 'boolean')
   self:synchronize()
   self.is_specific = flag
end

-- Waits for all jobs, and ends the threads. The error of a job is raised after they have ended.
function Threads:terminate()
   check_pool(self, 'terminate')
   if not self.is_running then return end
   local ok, caught = true, nil
   while self.pending > 0 do
      local handled, reason = pcall(take_result, self)
      if not handled and ok then ok, caught = false, reason end
      if not handled and self.flags[0] == 1 then settle(self) end
   end
   close(self)
   host.join_pool(self.number)
   if not ok then error(caught, 0) end
end

-- The collector ends an unreferenced pool as terminate does, but without waiting at the end of the state. When Python
-- exits its threads are left asleep: they could no longer call it.
function Threads:__gc()
   if not self.is_running then return end
   if finalizers.ending then
      local ok, finalizing = pcall(host.is_finalizing)
      if not ok or finalizing then return end
   end
   if finalizers.ending or self.process ~= locks.process() then return close(self) end
   self:terminate()
end

-- Threads.new(n, f, g, ...): a pool of n threads, each of which first calls f(i), g(i), ..., where i is its number.
-- Also returns the results of the last function: a table for each thread.
function Threads.new(n, ...) return Threads.with_scheme(Threads.__serialize, n, ...) end

-- The same with a scheme for values that are passed between threads.
function Threads.with_scheme(scheme, n, ...)
   n = check.integer('threads.Threads', 'the number of threads', n, 1, MAX_THREADS)
   collect_dropped()
   local functions, results = { ... }, {}
   for i = 1, select('#', ...) do check.callable('threads.Threads', 'argument ' .. i + 1, functions[i]) end
   local pool = setmetatable({
      N = n, jobs = Queue.make(n), results = Queue.make(2 ^ 20), scheme = scheme, callbacks = {},
      tensors = {}, pending = 0, last = 0, errors = false, is_specific = false, is_running = true,
      process = locks.process(),
   }, Threads)
   local number, flags = host.start_pool(pool.jobs:id(), pool.results:id(), n, pool.scheme, dialect.name, package.path,
      package.cpath)
   if not number then
      close(pool)
      errors.raise('threads.Threads: a thread cannot be started: %s', flags)
   end
   host.is_finalizing()     -- looked up now: at the end of the state that is impossible
   pool.number, pool.flags = number, cast('double *', cast('intptr_t', flags))
   flags = pool.flags
   function pool.is_stopped() return flags[0] == 1 or flags[n + 1] > 0 end
   pool.proxy = newproxy(true)
   getmetatable(pool.proxy).__gc = function() pool:__gc() end
   running[pool] = true
   local last = #functions
   local ok, caught = pcall(function()
      for i = 1, n do
         results[i] = {}
         for k, f in ipairs(functions) do
            send(pool, i, f, k == last and function(...) results[i] = { ... } end, i)
         end
      end
      while pool.pending > 0 do take_result(pool) end
   end)
   if not ok then
      pcall(pool.terminate, pool)
      error(caught, 0)
   end
   return pool, results
end

-- Ends all pools, at the end of a program. Errors of their jobs do not fail the program, whose last line has run: they
-- are reported, like those of finalizers.
function Threads.finish()
   local pools = {}
   for pool in next, running do pools[#pools + 1] = pool end
   for _, pool in ipairs(pools) do
      if pool.process == locks.process() then
         local ok, why = pcall(pool.terminate, pool)
         if not ok then io.stderr:write('$ Warning: an unfinished job: ', tostring(why), '\n') end
      end
   end
end

table.insert(hooks.at_end, Threads.finish)

return Threads

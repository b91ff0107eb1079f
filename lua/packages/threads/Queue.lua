-- threads.Queue: function calls that one thread adds and another one executes. A pool consists of two queues.
--
-- A queue holds messages in order. A taker has a lane, a number, and takes messages of its lane and of lane 0, which
-- belongs to everybody.

local jit = jit
local ffi = require 'ffi'
local libc, uninterruptible = require 'torch.native.libc', require 'torch.base.uninterruptible'
local check, errors = require 'torch.base.check', require 'torch.base.errors'
local handles, locks = require 'threads.handles', require 'torch.base.locks'
local message, real = require 'threads.message', require('torch.utility.timer').real
local istype, state, null = ffi.istype, uninterruptible.state, ffi.cast('void *', 0)

local function drop_all(q)
   while q.head ~= null do
      local m = q.head
      q.head = m.next
      message.free(m)
   end
   q.tail, q.count = nil, 0
end

-- `closed`: nobody waits any more. `busy` is the number of takers that process a message, `awake` of those that
-- busy-wait, `asleep` of those that the system has to wake.
local Queue = handles.class('Queue', [[
   char mutex[64], added[64], taken[64];
   double capacity, count, closed, busy, awake, asleep; t7_Message *head, *tail;
]], function(q, capacity)
   locks.init(q.mutex)
   locks.init_condition(q.added)
   locks.init_condition(q.taken)
   q.capacity = capacity
end, function(q)
   drop_all(q)
   locks.destroy(q.mutex)
end)

-- Functions on the memory of a queue, which are not methods of its objects.
local queues = setmetatable({}, { __index = Queue })
local pointer_ct = ffi.typeof 't7_Queue *'

local function lock(q)
   if not istype(pointer_ct, q) then check.argument_error('threads.Queue', 'it', 'the memory of a queue', q) end
   locks.lock(q.mutex)
end

-- A queue for `capacity` calls, or the one with an id.
function Queue.new(capacity)
   check.integer('threads.Queue', 'the size', capacity, 1)
   -- Larger numbers are addresses: no useful capacity is as large.
   if capacity > 2 ^ 20 then return Queue.with_id(capacity) end
   return Queue.make(capacity)
end

-- How many messages of a lane wait.
local function queued(q, lane)
   if lane == 0 then return q.count end
   local count, m = 0, q.head
   while m ~= null do
      if m.lane == lane then count = count + 1 end
      m = m.next
   end
   return count
end

function queues.is_empty(q) return q.count == 0 end

-- Tells whether there is space for a message in a lane.
function queues.has_space(q, lane)
   lock(q)
   local has_space = queued(q, lane) < q.capacity
   locks.unlock(q.mutex)
   return has_space
end

-- Adds a message, which the queue then owns, even if it is full.
function queues.put(q, m)
   m.next = nil
   lock(q)
   if q.head == null then q.head = m else q.tail.next = m end
   q.tail, q.count = m, q.count + 1
   if q.asleep > 0 then
      if m.lane ~= 0 then locks.broadcast(q.added) elseif q.count > q.awake then locks.signal(q.added) end
   end
   locks.unlock(q.mutex)
end

-- The first message for a lane, and the message before it; nil if there is none.
local function find(q, lane)
   local before, m = nil, q.head
   while m ~= null do
      if m.lane == 0 or m.lane == lane then return m, before end
      before, m = m, m.next
   end
end

-- Removes a message, nil for none; from then on the state defers Ctrl-C, which would lose the message.
function queues.attempt(q, lane)
   lock(q)
   local m, before = find(q, lane)
   if m then
      if before then before.next = m.next else q.head = m.next end
      if m.next == null then q.tail = before end
      q.count, q.busy = q.count - 1, q.busy + 1
      locks.signal(q.taken)
      state[0] = state[0] + 1
   end
   locks.unlock(q.mutex)
   return m
end
local attempt = queues.attempt

-- Waits briefly: being woken takes longer than a short job, 50 us on virtual machines. LuaJIT reloads memory after any
-- C call. If other programs need the core, a yield takes milliseconds, so that sleepers would be served first:
-- therefore the time is limited, not only the number of iterations.
local SPINS, MAX_SLEEP = 200, 1e-4

local function spin(is_over, q, count, other)
   local now, last
   repeat
      for _ = 1, SPINS do
         if is_over(q, count, other) then return end
         libc.t7_ffs(0)
      end
      libc.t7_sched_yield()
      now = real()
      last = last or now + MAX_SLEEP
   until now > last
end

local function has_message(q) return q.count > 0 or q.closed == 1 end

-- At most one taker of a queue busy-waits, since there may be a core for only one.
local function spin_for_message(q)
   if q.awake > 0 then return end
   -- Ctrl-C must not corrupt the count.
   state[0] = state[0] + 1
   lock(q)
   q.awake = q.awake + 1
   locks.unlock(q.mutex)
   spin(has_message, q)
   lock(q)
   q.awake = q.awake - 1
   locks.unlock(q.mutex)
   state[0] = state[0] - 1
end

local function sleep(q, lane)
   lock(q)
   if q.closed == 0 and not find(q, lane) then
      q.asleep = q.asleep + 1
      locks.wait(q.added, q.mutex)
      q.asleep = q.asleep - 1
   end
   locks.unlock(q.mutex)
end

-- Takes a message, waiting for one if necessary; nil when the queue is closed, or when stop(), which is polled, returns
-- true. The taker counts as busy until queues.done, and defers Ctrl-C until queues.safe.
function queues.take(q, lane, stop)
   local m = attempt(q, lane)
   if m then return m end
   spin_for_message(q)
   while true do
      m = attempt(q, lane)
      if m then return m end
      if q.closed == 1 or stop and stop() then return nil end
      sleep(q, lane)
   end
end
-- Ctrl-C is handled between two iterations, which compiled code would not check.
jit.off(queues.take)

-- The caller of queues.take knows the value.
function queues.safe() state[0] = state[0] - 1 end

function queues.done(q)
   lock(q)
   q.busy = q.busy - 1
   locks.signal(q.taken)
   locks.unlock(q.mutex)
end

function queues.drop(q)
   lock(q)
   drop_all(q)
   locks.unlock(q.mutex)
end

-- Wakes all waiters. Messages that were not taken are dropped.
function queues.close(q)
   lock(q)
   q.closed = 1
   drop_all(q)
   locks.broadcast(q.added)
   locks.broadcast(q.taken)
   locks.unlock(q.mutex)
end

-- Waits until fewer than a number of messages are left.
function queues.wait_for_space(q, number)
   while true do
      lock(q)
      local has_space = q.count < number
      if not has_space then locks.wait(q.taken, q.mutex) end
      locks.unlock(q.mutex)
      if has_space then return end
   end
end
jit.off(queues.wait_for_space)

local function has_progress(q, count, results) return q.count < count or results.count > 0 end

-- Waits until there is space for a message in a lane, which it returns, or a message in another queue, whose senders
-- put it there before queues.done(q); or until stop() returns true.
function queues.wait_for_progress(q, lane, results, stop)
   if queues.has_space(q, lane) then return true end
   spin(has_progress, q, q.count, results)
   while true do
      lock(q)
      local has_space = queued(q, lane) < q.capacity
      local over = has_space or results.count > 0 or stop()
      if not over then locks.wait(q.taken, q.mutex) end
      locks.unlock(q.mutex)
      if over then return has_space end
   end
end
jit.off(queues.wait_for_progress)

-- Adds a call f(...), as soon as there is space.
function Queue:addjob(f, ...)
   local q = Queue.struct(self, 'addjob')
   check.callable('Queue:addjob', 'argument 1', f)
   local m = message.pack('threads.sharedserialize', { n = select('#', ...) + 1, f, ... })
   queues.wait_for_space(q, q.capacity)
   queues.put(q, m)
end

-- Waits for the next call, executes it and returns its results.
function Queue:dojob()
   local q = Queue.struct(self, 'dojob')
   local m = queues.take(q, 0)
   if not m then errors.raise 'Queue:dojob: the queue is closed' end
   queues.safe()
   queues.done(q)
   local values = message.unpack(m)
   return values[1](unpack(values, 2, values.n))
end

return queues

-- ipc.workqueue(name): two queues between the state that makes it and threads that ask for the same name. What the
-- first one writes the others read, and what they write it reads. Tensors share their memory.

local check, locks = require 'torch.base.check', require 'torch.base.locks'
local host = require('torch.native.host').of 'ipc'
local release_user = require('torch.native.host').of('threads').release
local message, Queue = require 'threads.message', require 'threads.Queue'

local Workqueue = {}
Workqueue.__index = Workqueue

local SCHEME = 'threads.sharedserialize'
-- More messages than fit into memory.
local CAPACITY = 2 ^ 20

-- The number of this state.
local own = host.workqueue_state()
-- Created before all queues, so that it still exists when the state ends.
local close_name = host.workqueue_close

local function check_queue(q, name)
   if type(q) ~= 'table' or not rawequal(getmetatable(q), Workqueue) then
      check.argument_error('workqueue:' .. name, 'the queue', 'what ipc.workqueue returned before the colon', q)
   end
   if q.closed then check.fail('workqueue:' .. name, "the queue '%s' was closed", q.name) end
   if q.process ~= locks.process() then
      check.fail('workqueue:' .. name, 'the threads of this queue belong to the process before the fork')
   end
   return q
end

-- Releases a queue that only the table of names still refers to.
local function drop(id)
   local queue = Queue.with_id(id)
   release_user('Queue', id)
   queue:free()
end

local function close(q)
   if q.closed then return end
   q.closed = true
   q.incoming:free()
   q.outgoing:free()
   local questions, answers = close_name(q.name)
   if questions then
      drop(questions)
      drop(answers)
   end
end

-- Waits for the next value and returns it. With true it does not wait: nil if there is none.
function Workqueue:read(at_once)
   local struct = check_queue(self, 'read').incoming.struct
   local m
   if at_once then m = Queue.attempt(struct, 0) else m = Queue.take(struct, 0) end
   if not m then return nil end
   Queue.safe()
   Queue.done(struct)
   return message.unpack(m)[1]
end

-- Adds each of the values, and does not wait.
function Workqueue:write(...)
   local struct = check_queue(self, 'write').outgoing.struct
   for i = 1, select('#', ...) do Queue.put(struct, (message.pack(SCHEME, { n = 1, (select(i, ...)) }))) end
end

-- The same: functions always cross with their upvalues.
Workqueue.writeup = Workqueue.write

-- Waits until all that was written was read.
function Workqueue:drain() Queue.wait_for_space(check_queue(self, 'drain').outgoing.struct, 1) end

-- Releases the queue. Its name is free again when all states have done so.
function Workqueue:close() close(check_queue(self, 'close')) end

-- The queue of a name, which is made if there is none. A size, which the original took, changes nothing.
return function(name, size)
   check.kind('ipc.workqueue', 'the name', name, 'string')
   if size ~= nil then check.integer('ipc.workqueue', 'the size', size, 1) end
   local owner, questions, answers = host.workqueue_open(name, own)
   if not owner then
      questions, answers = Queue.make(CAPACITY):id(), Queue.make(CAPACITY):id()
      local first, second
      owner, first, second = host.workqueue_open(name, own, questions, answers)
      if first ~= questions then
         drop(questions)
         drop(answers)
         questions, answers = first, second
      end
   end
   if owner == own then questions, answers = answers, questions end
   local q = setmetatable({ name = name, incoming = Queue.with_id(questions), outgoing = Queue.with_id(answers),
      process = locks.process(), closed = false }, Workqueue)
   q.proxy = newproxy(true)
   getmetatable(q.proxy).__gc = function() if q.process == locks.process() then close(q) end end
   return q
end

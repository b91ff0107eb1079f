-- The loop of a thread of a pool: it takes jobs from one queue, and puts their results into another one. Python calls
-- it again when Ctrl-C has stopped it.

local error, pcall, require, rawset, select, tostring = error, pcall, require, rawset, select, tostring
local ffi = require 'ffi'
local torch, output = require 'torch', require 'shell.output'
local message, Queue, traceback = require 'threads.message', require 'threads.Queue', require 'shell.traceback'
local of_tensor, same_view = require('torch.base.types').of_tensor, require('torch.base.geometry').same_view
require 'threads.retained'
local cast = ffi.cast
local globals = _G

local jobs, results, index, flags
-- The running job: its number, and the tensors that it shares with their original geometry.
local current, captures, scheme

local function pack(...) return { n = select('#', ...), ... } end

-- The sizes, strides and memory of tensors that came with a job.
local function geometry_of(tensors)
   local list = {}
   for i = 1, #tensors do list[i] = of_tensor(tensors[i]).alias(tensors[i]) end
   return list
end

-- The tensors to which a job has given other sizes or memory, nil for none.
local function changed(tensors, before)
   local found
   for i = 1, #tensors do
      if not same_view(tensors[i], before[i]) then
         found = found or {}
         found[i] = tensors[i]
      end
   end
   return found
end

local function post(id, status, values)
   local m = message.pack(scheme, values)
   m.id, m.status, m.sender = id, status, index
   current = nil
   Queue.put(results.struct, m)
   Queue.done(jobs.struct)
end

local function captured()
   if not captures then return nil end
   captures = false
   local text = output.release()
   return text ~= '' and text or nil
end

local function post_failure(id, text) post(id, 1, { n = 3, captured(), nil, text }) end

local function run(m)
   local id = m.id
   current = id
   Queue.safe()
   if flags[0] == 1 then
      -- After Ctrl-C, waiting jobs are not started.
      message.free(m)
      return post_failure(id, 'interrupted')
   end
   if m.status == 1 then
      output.capture()
      captures = true
   end
   local ok, values, tensors = pcall(message.unpack, m)
   if not ok then return post_failure(id, tostring(values)) end
   local before = tensors[1] and geometry_of(tensors)
   local outcome = pack(xpcall(values[1], traceback, unpack(values, 2, values.n)))
   if not outcome[1] then return post_failure(id, message.of_failure(outcome[2])) end
   local text = captured()
   local list = { n = outcome.n + 1, text, before and changed(tensors, before), unpack(outcome, 2, outcome.n) }
   local posted, reason = pcall(post, id, 0, list)
   if not posted then
      if not current then error(reason, 0) end
      post_failure(id, 'result: ' .. tostring(reason))
   end
end

local worker = {}

-- Prepares the thread of a number. `address` points to flags; the one of this thread is set while it was interrupted
-- and has not returned to `run`.
function worker.start(jobs_id, results_id, number, count, address, mode)
   jobs, results = Queue.with_id(jobs_id), Queue.with_id(results_id)
   index, flags, scheme = number, cast('double *', cast('intptr_t', address)), mode
   rawset(globals, '__threadid', number)
   rawset(globals, '__threadn', count)
   -- The threads share the cores.
   torch.setnumthreads(1)
end

-- Runs jobs until the queue is closed.
function worker.run()
   flags[index] = 0
   if current then
      post_failure(current, 'interrupted')
   elseif captures then
      captured()
   end
   while true do
      local m = Queue.take(jobs.struct, index)
      if not m then break end
      run(m)
   end
   jobs:free()
   results:free()
end

return worker

-- The second core: large simple work is shared with a worker, a LuaJIT state of its own in a thread of Python that
-- calls the same C functions by pointer on its half. A job is handed over through memory that both states see.
--
-- The worker spins for some time after a job and then sleeps on a futex. It touches no Python object and no Lua
-- object of the main state. A process that was forked starts a worker of its own. Whoever takes the lock of a job
-- does it: when another program has the second core, so that the worker has not begun when the main state is done
-- with its half, the main state takes the other half back.

local ceil, clock, min = math.ceil, os.clock, math.min
local require, tonumber = require, tonumber
local ffi = require 'ffi'
local errors = require 'torch.core.errors'
local host = require 'torch.core.host'
local job = require 'torch.worker.job'
local C, cast = ffi.C, ffi.cast
local undisturbed = require 'torch.core.critical'
local state, SHARING, HOOKED = undisturbed.state, undisturbed.SHARING, undisturbed.HOOKED

local parallel = {}

-- Work on fewer elements is done before the other core has heard of it; up to the second number only a worker that is
-- awake hears of it in time.
parallel.LEAST = 8192
local AWAKE = 16384
-- The same for bytes that are only moved or filled.
parallel.LEAST_BYTES = 2 ^ 18
local LEAST_BYTES = parallel.LEAST_BYTES

local possible = ffi.os == 'Linux' and ffi.arch == 'x64'
local threads, slot = nil, nil

local function available()
   if threads == nil then threads = possible and host.core_count() or 1 end
   return threads > 1
end

-- The number of threads that large work may use.
function parallel.get()
   available()
   return threads
end

function parallel.set(count)
   threads = possible and count or 1
end

-- A worker that sleeps may be too late for one job and in time for the next; after so many jobs taken back in turn
-- the second core is taken to be busy, and a number of jobs are not offered.
local MISSES, RESTS = 4, 64
local missed, resting = 0, 0

local function address(pointer) return (tonumber(cast('intptr_t', pointer))) end

-- A slot in a page that the system clears in a process that is forked: such a process sees that no worker is its own.
-- It is never freed: the worker reads it until the process ends.
local PAGE, READ_WRITE, PRIVATE, WIPE_ON_FORK = 4096, 3, 34, 18

local function new_slot()
   local page = C.t7_mmap(nil, PAGE, READ_WRITE, PRIVATE, -1, 0)
   if address(page) < 0 or C.t7_madvise(page, PAGE, WIPE_ON_FORK) ~= 0 then return nil end
   return cast(job.pointer_ct, page)
end

local function waiting(s)
   local turns = 0
   while s.done == 0 do
      job.wait(turns)
      turns = turns + 1
   end
end

-- Seconds in which a worker that has taken a job will have said so.
local HESITATION = 0.1

-- Takes back the claim after an error, of a debug hook, came between offering a job and its end. It may be free; or the
-- worker's, who may still be at work; or this side's, who was stopped while it held it.
local function recover(s)
   if not job.take(s) then
      local start, turns = clock(), 0
      while s.begun == 0 and clock() - start < HESITATION do
         job.wait(turns)
         turns = turns + 1
      end
      if s.begun == 1 then waiting(s) end
   end
   s.pending, state[SHARING] = 0, 0
end

-- Waking the worker takes longer than a brief job. But a program may have nothing but brief jobs: it is woken for one
-- of them in so many, and stays awake as long as more of them follow.
local NAPS, napped = 64, 0

-- The slot of a running worker that is free; nil when there is to be none, as for most jobs that are `brief` when the
-- worker sleeps. Started when it is first needed.
local function worker(brief)
   if not available() or state[HOOKED] == 1 then return nil end
   if resting > 0 then
      resting = resting - 1
      return nil
   end
   if brief and (slot == nil or slot.sleeping == 1) then
      napped = (napped + 1) % NAPS
      if napped > 0 then return nil end
   end
   if slot == nil or slot.ours == 0 then
      slot = slot or new_slot()
      if slot then
         C.t7_pthread_spin_init(slot.claim, 0)
         job.take(slot)
         slot.ours = 1
      end
      if not slot or not host.start_worker(address(slot)) then
         possible, threads, slot = false, 1, nil
         return nil
      end
   end
   if slot.pending == 1 then recover(slot) end
   return slot
end
parallel.worker = worker

-- From here to `finish` Ctrl-C waits: what the worker writes to must not be given up before.
local function publish(s)
   state[SHARING] = 1
   s.begun, s.done, s.failed = 0, 0, 0
   s.pending = 1
   C.t7_pthread_spin_unlock(s.claim)
   s.seq = s.seq + 1
   if s.sleeping == 1 then job.wake(s) end
end
parallel.publish = publish

-- Waits for the worker's half, or does it when the worker has not begun.
local function finish(s)
   local taken = job.take(s)
   if taken then
      missed = missed + 1
      if missed == MISSES then missed, resting = 0, RESTS end
      job.run(s)
   else
      missed = 0
      waiting(s)
   end
   s.pending, state[SHARING] = 0, 0
   if not taken and s.failed == 1 then
      possible, threads = false, 1
      errors.raise('the worker thread failed: the result is not whole; later work runs on one core')
   end
end
parallel.finish = finish

-- The half of a count that the main state keeps, a multiple of `unit`.
function parallel.half(count, unit) return count / 2 - count / 2 % unit end
local half_of = parallel.half

-- Whether writing r cannot change what the other half reads: the same elements, or none in common.
local function independent(x, x_step, r, r_step, count)
   local a, b = address(x), address(r)
   if a == b and x_step == r_step then return true end
   return a + x_step * count <= b or b + r_step * count <= a
end

-- Runs fn(args, dims, steps, data) for `inputs` operands and a result, half of it by the worker. False when the
-- caller has to do it alone.
function parallel.loop(fn, data, inputs, args, dims, steps, count)
   local s = steps[inputs] > 0 and worker(count < AWAKE)
   if not s then return false end
   for k = 0, inputs - 1 do
      local whole = independent(args[k], tonumber(steps[k]), args[inputs], tonumber(steps[inputs]), count)
      if not whole then return false end
   end
   local half = half_of(count, 64)
   s.kind, s.fn, s.data = job.LOOP, cast('void *', fn), data
   for k = 0, inputs do
      s.args[k], s.steps[k] = args[k] + half * tonumber(steps[k]), steps[k]
   end
   s.dims[0] = count - half
   publish(s)
   dims[0] = half
   fn(args, dims, steps, data)
   finish(s)
   return true
end

-- Offers the end of a call of steps.lua to the worker: how many elements are left to the caller, who then calls
-- `finish_steps`, or all of them.
function parallel.offer_steps(call)
   local count, result = call.count, call.program.result
   local s = call.step[result] > 0 and worker(count < AWAKE)
   if not s then return count end
   local to, to_step = call.base[result], tonumber(call.step[result])
   for k = 0, call.program.registers - 1 do
      if k ~= result and call.program.scratch[k] == 0
         and not independent(call.base[k], tonumber(call.step[k]), to, to_step, count) then
         return count
      end
   end
   local half = half_of(count, 64)
   s.kind, s.call = job.STEPS, call
   s.call.count = count - half
   for k = 0, call.program.registers - 1 do
      s.call.base[k] = s.call.base[k] + half * tonumber(call.step[k])
   end
   publish(s)
   return half
end

function parallel.finish_steps() finish(slot) end

-- memmove of blocks that do not overlap; false when the caller has to do it.
function parallel.copy(to, from, bytes)
   local s = bytes >= LEAST_BYTES and worker()
   if not s or not independent(from, 1, to, 1, bytes) then return false end
   local half = half_of(bytes, 4096)
   s.kind = job.COPY
   s.args[0], s.args[1], s.dims[0] = cast(job.byte_p, to) + half, cast(job.byte_p, from) + half, bytes - half
   publish(s)
   C.t7_memmove(to, from, half)
   finish(s)
   return true
end

-- Repeats the `chunk` bytes at `from` over all `total` bytes there, see job.spread.
function parallel.spread(from, chunk, total)
   local s = total >= LEAST_BYTES and worker()
   if not s then return job.spread(from, from, chunk, total) end
   local half = half_of(total, chunk)
   s.kind = job.SPREAD
   s.args[0], s.args[1], s.dims[0], s.dims[1] = from + half, from, total - half, chunk
   publish(s)
   job.spread(from, from, chunk, half)
   finish(s)
end

-- Copies rows that a list names, see job.rows. The rows do not overlap what they are copied to.
function parallel.rows(to, from, places, bytes, count)
   local s = bytes * count >= LEAST_BYTES and worker()
   if not s then
      job.rows(to, from, places, bytes, count)
      return
   end
   local half = half_of(count, 1)
   s.kind = job.ROWS
   s.args[0], s.args[1], s.args[2] = to + half * bytes, from, cast(job.byte_p, places + half)
   s.dims[0], s.dims[1] = count - half, bytes
   publish(s)
   job.rows(to, from, places, bytes, half)
   finish(s)
end

-- Copies a matrix between layouts, see element.copy_matrix: the worker takes half of the rows.
function parallel.copy_matrix(run, T, to, to_step, to_row, S, from, from_step, from_row, count, rows)
   local s = worker(count * rows < AWAKE)
   local half = half_of(rows, 32)
   if not s or half == 0 then return run(to, to_step, to_row, from, from_step, from_row, count, rows) end
   s.kind = job.MATRIX
   s.args[0], s.args[1] = cast(job.byte_p, to + half * to_row), cast(job.byte_p, from + half * from_row)
   s.steps[0], s.steps[1], s.steps[2], s.steps[3] = to_step, to_row, from_step, from_row
   s.dims[0], s.dims[1], s.types[0], s.types[1] = count, rows - half, T.index, S.index
   publish(s)
   run(to, to_step, to_row, from, from_step, from_row, count, half)
   finish(s)
end

-- So many calls of a function take longer than finding out what it does. Ctrl-C may come after so many, or, of faster
-- functions, as many as take so many seconds.
local LEAST_CALLS, BRIEF = 2 ^ 16, 0.02
parallel.LEAST_CALLS = LEAST_CALLS

-- Calls f, of one or two numbers, for elements of x, and y, with a loop of each.lua. The worker takes a share of them
-- when f only calculates, so that nobody can tell in which order it is called; false when the caller has to do it.
function parallel.each(run, T, inputs, x, y, count, f)
   if not available() or not independent(y, T.size, x, T.size, count) then return false end
   local text = require('torch.worker.pure').text(f, inputs)
   if not text then return false end
   local from, most = 0, LEAST_CALLS
   while from < count do
      local n, start = min(count - from, most), clock()
      local s = n >= LEAST_CALLS and worker()
      if s then
         s.kind, s.types[0], s.types[1] = job.EACH, T.index, inputs
         s.args[0], s.args[1] = cast(job.byte_p, x + from), cast(job.byte_p, y + from)
         s.args[2], s.dims[1] = cast(job.byte_p, text), #text
         s.dims[0], s.steps[0] = n, ceil(n / job.CHUNKS)
         for k = 0, job.CHUNKS - 1 do C.t7_pthread_spin_unlock(s.chunks + k) end
         publish(s)
         job.each(s, run, x + from, y + from, f, true)
         finish(s)
      else
         run(x + from, y + from, n, f)
      end
      from = from + n
      if clock() - start < BRIEF then most = 2 * most end
   end
   return true
end

return parallel

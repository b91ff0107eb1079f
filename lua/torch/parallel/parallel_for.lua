-- parallel_for: a job is cut into chunks, which the main state and its workers compute.
-- See docs/decisions/0006-parallel-for.md.
--
--    local fill_rows = parallel_for.kind('mypackage.chunks', 'fill_rows')
--    fill_rows(count, unit, work, data)
--
-- calls fill_rows(data, from, to) of the module mypackage.chunks for units `from` to `to - 1` of 0 to `count - 1`,
-- until all are done. `work` estimates the nanoseconds that one core takes for all of them. Jobs of little work are
-- one chunk. Others are cut at multiples of `unit`, at boundaries that follow from `count`, `unit` and `work`, which
-- must follow from sizes alone. Each chunk is computed in the same way by any state, so results have the same bits
-- for any number of threads and any load of the machine.
--
-- A module of chunks is a Lua file that returns a table of functions. Each state loads its own copy with `require`,
-- so its functions see no tensor and no object of the program: they read everything from the pointer `data`, to a
-- struct that the module declares (`ffi.cast(pointer_ct, data)`), with raw pointers to memory and to C functions. The
-- struct and all memory that it names must live until the call returns. Chunks are computed concurrently: none may
-- write memory that another reads, except scratch of its module. They call BLAS by pointer, which uses one thread
-- (threads.lua). Chunks raise no errors: check before. They start no jobs, and call nothing that does.
--
-- Workers start when they are first needed. They wait for some time after a job and then sleep. If a worker is late
-- because another program uses its core, the other states compute its chunks. Ctrl-C waits until a job is done, since
-- workers must not write to freed memory. A forked process starts its own workers.

local error, require, tonumber, type = error, require, tonumber, type
local ceil, clock, floor, min = math.ceil, os.clock, math.floor, math.min
local ffi = require 'ffi'
local uninterruptible, errors = require 'torch.base.uninterruptible', require 'torch.base.errors'
local host, job = require 'torch.native.host', require 'torch.parallel.job'
local kernels, template = require 'torch.native.kernels', require 'torch.jit.template'
local finish_trace = require('torch.jit.trace').finish
local tuning = require 'torch.loops.tuning'
local cast = ffi.cast
local state, SHARING, HOOKED = uninterruptible.state, uninterruptible.SHARING, uninterruptible.HOOKED
local FREE, TAKEN, DONE, MOST = job.FREE, job.TAKEN, job.DONE, job.MOST
local open, take, wait = job.open, job.take, job.wait

local parallel_for = {}

local GRAIN = tuning.GRAIN
parallel_for.LEAST = 2 * GRAIN
-- Waking a worker takes longer than a brief job. But a program may have only brief jobs: one in every few wakes
-- workers, which stay awake as long as more jobs follow.
local BRIEF, NAPS = tuning.BRIEF, tuning.NAPS
local napped = 0
-- A worker may wake too late for one job and in time for the next. After several consecutive jobs without its help the
-- other cores are assumed to be busy, and the next jobs are not offered.
local MISSES, RESTS = tuning.MISSES, tuning.RESTS
local missed, resting = 0, 0

local possible = ffi.os == 'Linux' and ffi.arch == 'x64'
local threads, current = nil, nil

-- The number of states that large work may use.
function parallel_for.threads()
   if threads == nil then threads = host.core_count() end
   return threads
end

function parallel_for.set_threads(count)
   threads = count
   kernels('parallel_for').t7_set_threads(count)
end

-- Returns whether other cores can help if they are idle.
function parallel_for.has_workers() return possible and parallel_for.threads() > 1 end

local function give_up()
   possible, current = false, nil
   return nil
end

-- Ends a job that an error in a debug hook or a chunk interrupted. The current chunk of this state stays undone; if
-- workers do not finish, the slot is abandoned to them.
local SECONDS = 1

local function abandon(s)
   local start, turns = clock(), 0
   for k = 0, s.parts - 1 do
      if not take(s, k) and k ~= s.mine then
         while s.state[k] ~= DONE and clock() - start < SECONDS do
            wait(turns)
            turns = turns + 1
         end
         if s.state[k] ~= DONE then current = nil end
      end
   end
   s.pending, state[SHARING] = 0, 0
end

-- Returns a slot with workers, starting one more if there are too few; nil without workers.
local function workers(work)
   if not parallel_for.has_workers() or state[HOOKED] == 1 then return nil end
   if resting > 0 then
      resting = resting - 1
      return nil
   end
   local s = current
   if work < BRIEF and (s == nil or s.asleep[1] == 1) then
      napped = (napped + 1) % NAPS
      if napped > 0 then return nil end
   end
   if s and s.pending == 1 then abandon(s) end
   if current == nil then
      current = job.new()
      if not current then return give_up() end
   end
   s = current
   if s.ready == 0 then job.prepare(s) end
   if s.started < min(threads, MOST) - 1 then
      if not host.start_worker(tonumber(cast('intptr_t', s)), s.started + 1) then return give_up() end
      s.started = s.started + 1
   end
   return s
end
parallel_for.workers = workers

-- Publishes a job; from here to `finish` Ctrl-C waits.
local function publish(s, kind, data, count, size, parts)
   local active = min(threads, s.started + 1)
   state[SHARING], s.pending, s.failed = 1, 1, 0
   s.kind, s.data, s.count, s.size, s.parts, s.active, s.mine = kind, data, count, size, parts, active, -1
   for k = 0, parts - 1 do
      s.state[k] = FREE
      open(s, k)
   end
   s.seq = s.seq + 1
   local sleeping = 0
   for index = 1, active - 1 do sleeping = sleeping + s.asleep[index] end
   if sleeping > 0 then job.wake(s, min(sleeping, parts - 1)) end
end

local function finish(s, fine, alone)
   if not fine then
      abandon(s)
      error(alone, 0)
   end
   s.pending, state[SHARING] = 0, 0
   if alone then
      missed = missed + 1
      if missed == MISSES then missed, resting = 0, RESTS end
   else
      missed = 0
   end
   if s.failed == 1 then
      possible = false
      errors.raise('a worker thread failed: the result is not whole; later work runs on one core')
   end
end

-- Compiled separately for each kind, so that its loops specialize on the kind's function.
local source = [[
local function run(s, k, data, count, size)
   s.state[k], s.mine = $TAKEN, k
   local from = k * size
   fn(data, from, min(from + size, count))
   s.state[k] = $DONE
end

-- Runs the chunks that this state claims, and waits for the others; a chunk may be handed back. Returns whether all of
-- them ran.
local function work(s, data, count, size, parts)
   local ran = 0
   for k = 0, parts - 1 do
      if s.state[k] == $FREE and take(s, k) then
         run(s, k, data, count, size)
         ran = ran + 1
      end
   end
   local turns = 0
   for k = 0, parts - 1 do
      while s.state[k] ~= $DONE do
         if s.state[k] == $FREE and take(s, k) then
            run(s, k, data, count, size)
         else
            wait(turns)
            turns = turns + 1
         end
      end
   end
   return ran == parts
end

local function alone(data, count, size)
   for from = 0, count - 1, size do fn(data, from, min(from + size, count)) end
end

return function(count, unit, time, data)
   local parts = min(floor(time / $GRAIN), $MOST)
   if parts < 2 then return fn(data, 0, count) end
   local size = ceil(count / parts / unit) * unit
   if size >= count then return fn(data, 0, count) end
   local s = workers(time)
   finish_trace()
   if not s then return alone(data, count, size) end
   parts = ceil(count / size)
   publish(s, kind, data, count, size, parts)
   finish(s, pcall(work, s, data, count, size, parts))
end]]

local constants = { FREE = FREE, TAKEN = TAKEN, DONE = DONE, GRAIN = GRAIN, MOST = MOST }

-- Kinds by module and name; workers may read them at any time.
local kinds, made = {}, 0

local function kind_of(module, name)
   local key = module .. ' ' .. name
   if not kinds[key] then
      local kind, path = ffi.new 't7_kind', package.path
      if type(path) ~= 'string' or #path >= ffi.sizeof(kind.path) then path = '' end
      kind.id, kind.module, kind.name, kind.path = made, module, name, path
      kinds[key], made = kind, made + 1
   end
   return kinds[key]
end

-- Returns the function that runs jobs of a kind, by function `name` of a module. In this state, `mine` replaces it if
-- there is a faster function that gives the same bits.
function parallel_for.kind(module, name, mine)
   return template.compile('share ' .. name, source, constants, { fn = mine or require(module)[name],
      kind = kind_of(module, name), workers = workers, publish = publish, finish = finish, take = take, wait = wait,
      finish_trace = finish_trace, pcall = pcall, ceil = ceil, floor = floor, min = min })
end

return parallel_for

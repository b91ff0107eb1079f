-- What the main state and its worker share: the slot of a job, how it is done, and how to sleep and wake.

local ffi = require 'ffi'
local C, cast = ffi.C, ffi.cast
local require, tonumber = require, tonumber

local job = { LOOP = 0, COPY = 1, MATRIX = 2, SPREAD = 3, ROWS = 4 }

ffi.cdef [[
typedef struct {
   int32_t seq, started, cancelled, skipped, done, failed, sleeping, kind, types[2];
   char *args[4]; intptr_t dims[2], steps[4]; void *fn, *data;
} t7_job;
]]

require('torch.c').declare [[
long syscall(long number, ...);
int sched_yield(void);
int getpid(void);
void *memmove(void *to, const void *from, size_t count);
]]

job.ct, job.pointer_ct, job.byte_p = ffi.typeof 't7_job', ffi.typeof 't7_job *', ffi.typeof 'char *'

-- Fills `total` bytes at `to` with copies of the `chunk` bytes at `from`, the first of which may be `to` itself.
function job.spread(to, from, chunk, total)
   local position = to == from and chunk or 0
   while position < total do
      local rest = total - position
      C.t7_memmove(to + position, from, rest < chunk and rest or chunk)
      position = position + chunk
   end
end

local long_p = ffi.typeof 'int64_t *'

-- Copies `count` rows of `bytes` bytes from the places, counted from 1, that a list of int64 names.
function job.rows(to, from, places, bytes, count)
   for k = 0, count - 1 do
      C.t7_memmove(to, from + (tonumber(places[k]) - 1) * bytes, bytes)
      to = to + bytes
   end
end

local loop_t = ffi.typeof 'void (*)(char **, const intptr_t *, const intptr_t *, void *)'

local function matrix(slot)
   local element, types = require 'torch.element', require 'torch.types'
   local T, S = types.rows[slot.types[0]], types.rows[slot.types[1]]
   element.matrix_loop(T, S)(cast(T.pointer_ct, slot.args[0]), tonumber(slot.steps[0]), tonumber(slot.steps[1]),
      cast(S.pointer_ct, slot.args[1]), tonumber(slot.steps[2]), tonumber(slot.steps[3]),
      tonumber(slot.dims[0]), tonumber(slot.dims[1]))
end

-- Does the job in the slot.
function job.run(slot)
   local kind = slot.kind
   if kind == job.LOOP then
      cast(loop_t, slot.fn)(slot.args, slot.dims, slot.steps, slot.data)
   elseif kind == job.COPY then
      C.t7_memmove(slot.args[0], slot.args[1], slot.dims[0])
   elseif kind == job.SPREAD then
      job.spread(slot.args[0], slot.args[1], tonumber(slot.dims[1]), tonumber(slot.dims[0]))
   elseif kind == job.ROWS then
      job.rows(slot.args[0], slot.args[1], cast(long_p, slot.args[2]), tonumber(slot.dims[1]), tonumber(slot.dims[0]))
   else
      matrix(slot)
   end
end

-- Linux on x86-64: the futex call by its number.
local FUTEX, WAIT, WAKE = 202, 128, 129
local null = cast('void *', 0)

local function futex(slot, operation, value)
   C.t7_syscall(FUTEX, cast('int32_t *', slot), cast('int', operation), cast('int', value), null)
end

-- Sleeps until seq is no longer `last`.
function job.sleep(slot, last)
   slot.sleeping = 1
   if slot.seq == last then futex(slot, WAIT, last) end
   slot.sleeping = 0
end

function job.wake(slot) futex(slot, WAKE, 1) end

return job

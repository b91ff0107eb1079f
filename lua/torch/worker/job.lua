-- What the main state and its worker share: the slot of a job, how it is done, and how to sleep and wake.

local min, require, tonumber = math.min, require, tonumber
local ffi = require 'ffi'
local correlate, steps = require 'torch.kernels.correlate', require 'torch.worker.program'
local C, cast = ffi.C, ffi.cast

local job = {
   LOOP = 1, COPY = 2, MATRIX = 3, SPREAD = 4, ROWS = 5, GEMM = 6, GEMV = 7, GER = 8, OUTER = 9, SOLVE = 10,
   CORRELATE = 11, STEPS = 12, EACH = 13, CHUNKS = 64,
}

-- `claim` is a lock: unlocked means that the job is there for whoever takes it. `seq` counts the jobs, `begun` is 1
-- when the worker has taken one, `done` when it is through with it. Words that one side writes while the other waits
-- have cache lines of their own. `chunks` are locks of the parts of a job whose halves may take unlike times.
ffi.cdef([[
typedef struct {
   void *fn, *data; char *args[3]; intptr_t steps[3], count; double scales[2]; int32_t sizes[6]; char letters[8];
} t7_product;
typedef struct {
   int32_t seq, sleeping, before[30];
   int32_t claim[1], begun, done, failed, pending, ours, after[26];
   int32_t kind, types[2];
   char *args[4]; intptr_t dims[2], steps[4]; void *fn, *data;
   t7_product product; t7_correlation correlation; t7_steps_call call;
   int32_t chunks[$];
} t7_job;
]], job.CHUNKS)

require('torch.core.cdef').declare [[
long syscall(long number, ...);
int sched_yield(void);
void *mmap(void *start, size_t length, int protection, int flags, int file, long offset);
int ffs(int bits);
int pthread_spin_init(int *lock, int shared);
int pthread_spin_trylock(int *lock);
int pthread_spin_unlock(int *lock);
void *memmove(void *to, const void *from, size_t count);
]]

-- One turn of a loop that waits for the other side. Short waits are the rule, and a system call takes long; but who
-- waits for long gives way to whoever needs the core. LuaJIT reads memory again after a call of C, whatever it does.
local SPINS = 2000

function job.wait(turns)
   if turns < SPINS or turns % 64 ~= 0 then C.t7_ffs(0) else C.t7_sched_yield() end
end

-- Takes the job in the slot: true for one side only.
function job.take(slot) return C.t7_pthread_spin_trylock(slot.claim) == 0 end

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
   local element, types = require 'torch.core.element', require 'torch.core.types'
   local T, S = types.rows[slot.types[0]], types.rows[slot.types[1]]
   element.matrix_loop(T, S)(cast(T.pointer_ct, slot.args[0]), tonumber(slot.steps[0]), tonumber(slot.steps[1]),
      cast(S.pointer_ct, slot.args[1]), tonumber(slot.steps[2]), tonumber(slot.steps[3]),
      tonumber(slot.dims[0]), tonumber(slot.dims[1]))
end

-- The types of BLAS, for Float and Double.
job.gemm_t = ffi.typeof(
   'void (*)(char *, char *, int *, int *, int *, void *, void *, int *, void *, int *, void *, void *, int *)')
job.gemv_t = ffi.typeof 'void (*)(char *, int *, int *, void *, void *, int *, void *, int *, void *, void *, int *)'
job.ger_t = ffi.typeof 'void (*)(int *, int *, void *, void *, int *, void *, int *, void *, int *)'
local gemm_t, gemv_t, ger_t = job.gemm_t, job.gemv_t, job.ger_t

-- `count` products of matrices, the operands of the next one some steps of bytes further.
function job.gemm(p)
   local f, sizes, scales = cast(gemm_t, p.fn), p.sizes, p.scales
   local x, y, z = p.args[0], p.args[1], p.args[2]
   for _ = 1, tonumber(p.count) do
      f(p.letters, p.letters + 1, sizes, sizes + 1, sizes + 2, scales, x, sizes + 3, y, sizes + 4, scales + 1, z,
         sizes + 5)
      x, y, z = x + p.steps[0], y + p.steps[1], z + p.steps[2]
   end
end

local function gemv(p)
   local sizes, scales = p.sizes, p.scales
   cast(gemv_t, p.fn)(p.letters, sizes, sizes + 1, scales, p.args[0], sizes + 3, p.args[1], sizes + 4, scales + 1,
      p.args[2], sizes + 5)
end

local function ger(p)
   local sizes = p.sizes
   cast(ger_t, p.fn)(sizes, sizes + 1, p.scales, p.args[0], sizes + 3, p.args[1], sizes + 4, p.args[2], sizes + 2)
end

local getrs_t = ffi.typeof 'void (*)(char *, int *, int *, void *, int *, void *, void *, int *, int *)'

-- LAPACK's getrs: a matrix of factors of `sizes[0]` rows, its pivots, and `sizes[1]` columns to be solved.
function job.solve(p)
   local sizes = p.sizes
   cast(getrs_t, p.fn)(p.letters, sizes, sizes + 1, p.args[0], sizes, p.args[1], p.args[2], sizes, sizes + 2)
end

local outer_args, outer_dims, outer_steps = ffi.new 'char *[3]', ffi.new 'intptr_t[1]', ffi.new 'intptr_t[3]'

-- An outer product row by row: NumPy's loop over `sizes[0]` elements for each of `count` rows. `steps` are those of
-- the elements of a row, and of its factor and its start from row to row.
function job.outer(p)
   local f, args, size = cast(loop_t, p.fn), outer_args, p.sizes[5]
   local factor, row, next_factor, next_row = p.args[1], p.args[2], p.steps[1], p.steps[2]
   outer_dims[0], outer_steps[0], outer_steps[1], outer_steps[2] = p.sizes[0], p.steps[0], 0, size
   for _ = 1, tonumber(p.count) do
      args[0], args[1], args[2] = p.args[0], factor, row
      f(args, outer_dims, outer_steps, p.data)
      factor, row = factor + next_factor, row + next_row
   end
end

-- Calls f for elements of x, and y, of a type, with a loop of each.lua. The elements are in chunks; one side takes them
-- from the first on, the other from the last on, until they meet.
function job.each(slot, run, x, y, f, forwards)
   local count, size, last = tonumber(slot.dims[0]), tonumber(slot.steps[0]), job.CHUNKS - 1
   for i = 0, last do
      local k = forwards and i or last - i
      if C.t7_pthread_spin_trylock(slot.chunks + k) ~= 0 then return end
      local from = k * size
      if from < count then run(x + from, y + from, min(size, count - from), f) end
   end
end

local each_loops = {}

local function each(slot)
   local types, pure = require 'torch.core.types', require 'torch.worker.pure'
   local T, inputs = types.rows[slot.types[0]], slot.types[1]
   each_loops[T] = each_loops[T] or require('torch.core.loader').specialise('torch.tensor.apply_loops', T)
   job.each(slot, each_loops[T].contiguous[inputs], cast(T.pointer_ct, slot.args[0]), cast(T.pointer_ct, slot.args[1]),
      pure.load(ffi.string(slot.args[2], slot.dims[1])), false)
end

-- How each kind of job is done.
local kinds = {
   [job.LOOP] = function(slot) cast(loop_t, slot.fn)(slot.args, slot.dims, slot.steps, slot.data) end,
   [job.COPY] = function(slot) C.t7_memmove(slot.args[0], slot.args[1], slot.dims[0]) end,
   [job.MATRIX] = matrix,
   [job.SPREAD] = function(slot)
      job.spread(slot.args[0], slot.args[1], tonumber(slot.dims[1]), tonumber(slot.dims[0]))
   end,
   [job.ROWS] = function(slot)
      job.rows(slot.args[0], slot.args[1], cast(long_p, slot.args[2]), tonumber(slot.dims[1]), tonumber(slot.dims[0]))
   end,
   [job.GEMM] = function(slot) job.gemm(slot.product) end,
   [job.GEMV] = function(slot) gemv(slot.product) end,
   [job.GER] = function(slot) ger(slot.product) end,
   [job.OUTER] = function(slot) job.outer(slot.product) end,
   [job.SOLVE] = function(slot) job.solve(slot.product) end,
   [job.CORRELATE] = function(slot)
      local T, g = require('torch.core.types').rows[slot.types[0]], slot.correlation
      correlate.loop(T, g.axpy ~= nil)(g)
   end,
   [job.STEPS] = function(slot) steps.run(slot.call) end,
   [job.EACH] = each,
}

-- Does the job in the slot.
function job.run(slot) kinds[slot.kind](slot) end

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

-- The job slot: memory through which the main state hands the chunks of a job to its workers, with the functions by
-- which both sides claim a chunk, wait, sleep and wake. A worker is a separate LuaJIT state in a thread.
--
-- Each chunk has a lock. It is held while there is no job; the main state opens it when the job is complete, and the
-- state that acquires it runs the chunk. The job does not change before all of its chunks are done, so a claimed
-- chunk can be read from the slot. Stores become visible in order on x86-64, the only processor with workers.

local ffi = require 'ffi'
local libc = require 'torch.native.libc'
local cast = ffi.cast

local job = {
   -- Most chunks of a job, and states that work on it.
   MOST = 64,
   -- The states of a chunk.
   FREE = 0, TAKEN = 1, DONE = 2,
}

-- A kind of chunk: the module and the name in it of its function, and the package.path to find the module by. In a
-- slot, `seq` counts the jobs, `active` is the number of states that may work on them, and asleep[i] is 1 while
-- worker i sleeps. `kind`, `data`, `count` and `size` are the job: chunk k is the units from k * size on. `mine` is
-- the last chunk that the main state claimed.
ffi.cdef([[
typedef struct { int32_t id; char module[128], name[64], path[2048]; } t7_kind;
typedef struct {
   int32_t seq, active, before[14];
   int32_t asleep[$];
   int32_t lock[$];
   int32_t state[$];
   int32_t ready, started, pending, failed, after[12];
   t7_kind *kind; void *data; double count, size; int32_t parts, mine;
} t7_slot;
]], job.MOST, job.MOST, job.MOST)

job.pointer_ct = ffi.typeof 't7_slot *'

-- A page that the system clears in a forked process, which thereby knows that it has no workers. It is never freed:
-- workers read it until the process ends.
local PAGE, READ_WRITE, PRIVATE, WIPE_ON_FORK = 4096, 3, 34, 18

-- A new slot, nil where the system has none.
function job.new()
   local page = libc.t7_mmap(nil, PAGE, READ_WRITE, PRIVATE, -1, 0)
   if cast('intptr_t', page) < 0 or libc.t7_madvise(page, PAGE, WIPE_ON_FORK) ~= 0 then return nil end
   return cast(job.pointer_ct, page)
end

-- Claims chunk k: true for one state only.
function job.take(s, k) return libc.t7_pthread_spin_trylock(s.lock + k) == 0 end

function job.open(s, k) libc.t7_pthread_spin_unlock(s.lock + k) end

-- Initializes the locks of a slot, all of them held.
function job.prepare(s)
   for k = 0, job.MOST - 1 do
      libc.t7_pthread_spin_init(s.lock + k, 0)
      job.take(s, k)
      s.state[k] = job.DONE
   end
   s.ready = 1
end

-- Iterations of a waiting loop before it yields to other programs: a system call takes longer than most waits.
local SPINS = 2000

-- One iteration of a loop that waits for another state. LuaJIT reads memory again after any call of C.
function job.wait(turns)
   if turns < SPINS or turns % 64 ~= 0 then libc.t7_ffs(0) else libc.t7_sched_yield() end
end

-- Linux on x86-64: the futex call by its number.
local FUTEX, WAIT, WAKE = 202, 128, 129
local null = cast('void *', 0)

local function futex(s, operation, value)
   libc.t7_syscall(FUTEX, cast('int32_t *', s), cast('int', operation), cast('int', value), null)
end

-- Sleeps, as worker `index`, until seq is no longer `last`.
function job.sleep(s, index, last)
   s.asleep[index] = 1
   if s.seq == last then futex(s, WAIT, last) end
   s.asleep[index] = 0
end

function job.wake(s, count) futex(s, WAKE, count) end

return job

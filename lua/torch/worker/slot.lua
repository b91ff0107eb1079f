-- The slot: the memory through which the main state hands the parts of a job to its workers, and how both sides take
-- a part, wait, sleep and wake. A worker is a LuaJIT state of its own in a thread.
--
-- Each part has a lock. It is held while there is no job; the main state opens it when the job is whole, and the
-- state that takes it runs the part. The job does not change before all of its parts are done, so a part that was
-- taken can be read from the slot. Stores become visible in order on x86-64, the only processor with workers.

local ffi = require 'ffi'
local C = require 'torch.core.cdef'
local cast = ffi.cast

local slot = {
   -- The most parts of a job, and states that work on it.
   MOST = 64,
   -- The states of a part.
   FREE = 0, TAKEN = 1, DONE = 2,
}

-- A kind of part: the module and the name in it of its function, and the package.path to find the module by.
-- In a slot, `seq` counts the jobs, `active` is the number of states that may work on them, and asleep[i] is 1 while
-- worker i sleeps. `kind`, `data`, `count` and `size` are the job: part k is the units from k * size on. `mine` is the
-- part that the main state took last.
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
]], slot.MOST, slot.MOST, slot.MOST)

slot.pointer_ct = ffi.typeof 't7_slot *'

-- A page that the system clears in a forked process, which sees by it that no worker is its own. It is never freed:
-- workers read it until the process ends.
local PAGE, READ_WRITE, PRIVATE, WIPE_ON_FORK = 4096, 3, 34, 18

-- A new slot, nil where the system has none.
function slot.new()
   local page = C.t7_mmap(nil, PAGE, READ_WRITE, PRIVATE, -1, 0)
   if cast('intptr_t', page) < 0 or C.t7_madvise(page, PAGE, WIPE_ON_FORK) ~= 0 then return nil end
   return cast(slot.pointer_ct, page)
end

-- Takes part k: true for one state only.
function slot.take(s, k) return C.t7_pthread_spin_trylock(s.lock + k) == 0 end

function slot.open(s, k) C.t7_pthread_spin_unlock(s.lock + k) end

-- Prepares the locks of a slot, all of them held.
function slot.prepare(s)
   for k = 0, slot.MOST - 1 do
      C.t7_pthread_spin_init(s.lock + k, 0)
      slot.take(s, k)
      s.state[k] = slot.DONE
   end
   s.ready = 1
end

-- Turns of a waiting loop before it gives way to other programs: a system call takes longer than most waits.
local SPINS = 2000

-- One turn of a loop that waits for another state. LuaJIT reads memory again after any call of C.
function slot.wait(turns)
   if turns < SPINS or turns % 64 ~= 0 then C.t7_ffs(0) else C.t7_sched_yield() end
end

-- Linux on x86-64: the futex call by its number.
local FUTEX, WAIT, WAKE = 202, 128, 129
local null = cast('void *', 0)

local function futex(s, operation, value)
   C.t7_syscall(FUTEX, cast('int32_t *', s), cast('int', operation), cast('int', value), null)
end

-- Sleeps, as worker `index`, until seq is no longer `last`.
function slot.sleep(s, index, last)
   s.asleep[index] = 1
   if s.seq == last then futex(s, WAIT, last) end
   s.asleep[index] = 0
end

-- Wakes up to `count` workers.
function slot.wake(s, count) futex(s, WAKE, count) end

return slot

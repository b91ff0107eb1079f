-- Mutexes and condition variables in memory that no Lua state owns; 64 bytes suffice on any system. A state that holds
-- a mutex defers Ctrl-C. A forked process has copies of locks whose threads do not exist there: `lock` times out.

local ffi = require 'ffi'
local address_of, libc = require('torch.native.native').address_of, require 'torch.native.libc'
local uninterruptible = require 'torch.base.uninterruptible'
local cast, state = ffi.cast, uninterruptible.state
local off = jit.off

local locks = {}

local BYTES = 64
locks.BYTES = BYTES

local pid = libc.t7_getpid()

function locks.process() return libc.t7_getpid() end

function locks.at(address) return cast('char *', cast('intptr_t', address)) end

function locks.init(mutex) libc.t7_pthread_mutex_init(mutex, nil) end

function locks.destroy(mutex) libc.t7_pthread_mutex_destroy(mutex) end

-- Waits use a monotonic clock, where conditions offer a choice: macOS does not.
local CLOCK = jit.os == 'Linux' and 1 or 0
local attributes
if CLOCK ~= 0 then
   attributes = ffi.new('char[?]', BYTES)
   libc.t7_pthread_condattr_init(attributes)
   libc.t7_pthread_condattr_setclock(attributes, CLOCK)
end

function locks.init_condition(condition) libc.t7_pthread_cond_init(condition, attributes) end

-- In a forked process the holder may be a thread that does not exist there: no thread holds a mutex this long.
local TURNS = 1e6

local function lock_in_child(mutex)
   for _ = 1, TURNS do
      if libc.t7_pthread_mutex_trylock(mutex) == 0 then return end
      libc.t7_sched_yield()
   end
end

-- A mutex is held for less than a microsecond; sleeping and waking takes 50 on a virtual machine.
local SPINS = 200

local function spin(mutex)
   for _ = 1, SPINS do
      if libc.t7_pthread_mutex_trylock(mutex) == 0 then return true end
   end
   return false
end

function locks.lock(mutex)
   state[0] = state[0] + 1
   if not spin(mutex) then
      if libc.t7_getpid() == pid then libc.t7_pthread_mutex_lock(mutex) else lock_in_child(mutex) end
   end
end

function locks.unlock(mutex)
   libc.t7_pthread_mutex_unlock(mutex)
   state[0] = state[0] - 1
end

-- Waits for a signal, but only briefly, so that Ctrl-C is seen. The caller's mutex is released meanwhile.
local NAP = 5e7     -- nanoseconds
local time = ffi.new 'long[2]'

function locks.wait(condition, mutex)
   libc.t7_clock_gettime(CLOCK, time)
   local nanoseconds = tonumber(time[1]) + NAP
   if nanoseconds >= 1e9 then time[0], nanoseconds = time[0] + 1, nanoseconds - 1e9 end
   time[1] = nanoseconds
   libc.t7_pthread_cond_timedwait(condition, mutex, time)
end
-- Compiled code would not check for hooks between two calls.
off(locks.wait)

function locks.signal(condition) libc.t7_pthread_cond_signal(condition) end

function locks.broadcast(condition) libc.t7_pthread_cond_broadcast(condition) end

-- Returns zeroed memory that is not collected, and its address.
function locks.memory(bytes)
   local block = libc.t7_calloc(1, bytes)
   return block, address_of(block)
end

return locks

-- torch.Timer, and torch.tic and torch.toc: wall-clock, user and system time in seconds.

local ffi = require 'ffi'
local errors, userclass = require 'torch.base.errors', require 'torch.class.userclass'
local clock, time = os.clock, os.time

local timer = {}

-- real(): seconds of a monotonic clock; used(): user and system seconds of this process.
local real, used

if jit.os == 'Windows' then
   real = clock
   function used() return clock(), 0 end
else
   local libc = require 'torch.native.libc'
   local MONOTONIC = jit.os == 'Linux' and 1 or 6
   local parts = ffi.new 'long[2]'
   -- It begins with two pairs of seconds and microseconds, whose second parts are 32 bits wide on some systems.
   local usage = ffi.new 'int64_t[64]'
   function real()
      libc.t7_clock_gettime(MONOTONIC, parts)
      return tonumber(parts[0]) + tonumber(parts[1]) * 1e-9
   end
   local function seconds(i)
      return tonumber(usage[i]) + tonumber(usage[i + 1] % 2 ^ 32) * 1e-6
   end
   function used()
      libc.t7_getrusage(0, usage)
      return seconds(0), seconds(2)
   end
end

timer.real = real

local state = setmetatable({}, { __mode = 'k' })

local function check(object, method)
   local t = state[object]
   if not t then errors.raise("%s: self must be a torch.Timer (got %s)", method, errors.describe(object)) end
   return t
end

local function start(t)
   t.running = true
   t.real0, t.user0, t.sys0 = real(), used()
end

-- Adds the time since the start to the totals.
local function gather(t)
   if not t.running then return end
   local user, sys = used()
   local now = real()
   t.real, t.user, t.sys = t.real + now - t.real0, t.user + user - t.user0, t.sys + sys - t.sys0
   t.real0, t.user0, t.sys0 = now, user, sys
end

function timer.install(torch)
   local methods, new = userclass.userdata('torch.Timer', nil, torch, true)

   function methods.new()
      local object = new()
      local t = { real = 0, user = 0, sys = 0 }
      state[object] = t
      start(t)
      return object
   end

   function methods.reset(object)
      local t = check(object, 'reset')
      t.real, t.user, t.sys = 0, 0, 0
      if t.running then start(t) end
      return object
   end

   function methods.stop(object)
      local t = check(object, 'stop')
      gather(t)
      t.running = false
      return object
   end

   function methods.resume(object)
      local t = check(object, 'resume')
      if not t.running then start(t) end
      return object
   end

   function methods.time(object)
      local t = check(object, 'time')
      gather(t)
      return { real = t.real, user = t.user, sys = t.sys }
   end

   function methods.__tostring__(object)
      return 'torch.Timer [status: ' .. (check(object, '__tostring__').running and 'running' or 'stopped') .. ']'
   end

   -- Wall-clock seconds; torch.toc(t) gives the seconds since torch.tic() returned t.
   local began = time()
   local offset = began - real()
   function torch.tic() return real() + offset end
   function torch.toc(before) return real() + offset - errors.number('toc', 1, before) end
end

return timer

-- clock, tic, toc, sleep, usleep.

local ffi = require 'ffi'
local check, libc = require 'torch.base.check', require 'torch.native.libc'

local windows = jit.os == 'Windows'
local LONGEST = 0.25      -- seconds of one nap, so that Ctrl-C is noticed between two

local now, nap
if windows then
   local ticks = ffi.new 'uint64_t[1]'
   -- Ticks of 100 ns since 1601.
   function now()
      libc.t7_GetSystemTimeAsFileTime(ticks)
      return tonumber(ticks[0]) * 1e-7 - 11644473600
   end
   function nap(seconds) libc.t7_Sleep(seconds * 1000) end
else
   local parts = ffi.new 'long[2]'
   function now()
      libc.t7_gettimeofday(parts, nil)
      return tonumber(parts[0]) + tonumber(parts[1]) * 1e-6
   end
   function nap(seconds) libc.t7_usleep(seconds * 1e6) end
end

return function(sys)
   local started = now()

   -- Seconds since 1970, with microseconds as a fraction.
   sys.clock = now

   function sys.tic()
      started = now()
   end

   -- Seconds since `tic`; `verbose` prints them too.
   function sys.toc(verbose)
      local elapsed = now() - started
      if verbose then print(elapsed) end
      return elapsed
   end

   function sys.sleep(seconds)
      seconds = check.number('sys.sleep', 'argument 1', seconds)
      local finish = now() + seconds
      local left = seconds
      while left > 0 do
         nap(math.min(left, LONGEST))
         left = finish - now()
      end
   end

   function sys.usleep(microseconds)
      sys.sleep(check.number('sys.usleep', 'argument 1', microseconds) * 1e-6)
   end
end

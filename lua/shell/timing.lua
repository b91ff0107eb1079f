-- Measures functions by many runs.

local sys = require 'sys'

local timing = {}

local MIN_SECONDS = 0.2      -- seconds that a series of runs should take
local SERIES = 5

-- Runs a function until its time is measurable. Returns the seconds of one run, best and mean of the series, and the
-- number of runs in one.
function timing.repeated(f)
   local runs = 1
   local took
   repeat
      local start = sys.clock()
      for _ = 1, runs do f() end
      took = sys.clock() - start
      if took < MIN_SECONDS then runs = runs * (took > MIN_SECONDS / 10 and 2 or 10) end
   until took >= MIN_SECONDS
   local best, sum = math.huge, 0
   for _ = 1, SERIES do
      local start = sys.clock()
      for _ = 1, runs do f() end
      local each = (sys.clock() - start) / runs
      if each < best then best = each end
      sum = sum + each
   end
   return best, sum / SERIES, runs
end

-- The loops are interpreted: compiled, the loop of a function without effects would be empty.
jit.off(timing.repeated)

return timing

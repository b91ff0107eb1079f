-- When Lua's collector runs. What malloc owns is invisible to it, so it is driven by bytes; and it is kept from
-- running too often over the library itself.

local collectgarbage, getmetatable, newproxy = collectgarbage, getmetatable, newproxy
local floor, max, min = math.floor, math.max, math.min
local cache, finalizers = require 'torch.memory.cache', require 'torch.memory.finalizers'
local places = require 'torch.memory.places'
local tuning = require 'torch.core.tuning'

local collector = {}

-- After a budget of allocations the collector runs. A small budget lets blocks be reused while the processor's caches
-- still hold them, and Lua's heap as well; a large one is for large heaps, which take long to collect. Memory dies
-- one cycle after the tensors that looked at it, so garbage is bounded by twice the budget. When memory is reused
-- changes no result.
local LEAST_BUDGET, MOST_BUDGET, BYTES_PER_BYTE = tuning.LEAST_BUDGET, tuning.MOST_BUDGET, tuning.BYTES_PER_BYTE
local debt, budget = 0, LEAST_BUDGET

-- A step of this many kilobytes ends a cycle. A full collection would sweep all objects twice.
local CYCLE = 2 ^ 20

local function run()
   debt = 0
   cache.next_turn()
   collectgarbage('step', CYCLE)
   budget = min(max(collectgarbage 'count' * 1024 * BYTES_PER_BYTE, LEAST_BUDGET), MOST_BUDGET)
   places.close()
end

-- Counts a block of so many bytes that is going to be taken. What nobody refers to stays at the end of the state.
function collector.count(bytes)
   debt = debt + bytes
   if debt > budget and not finalizers.ending then run() end
end

-- Lua's collector begins anew when its heap has doubled. Programs that use tensors make small objects by the million,
-- and most of what is marked then is this library: so the heap may always grow by GROWTH bytes. An object that nobody
-- refers to is finalized at the end of each cycle and tells the pause for the next one.
local GROWTH, DOUBLED = tuning.HEAP_GROWTH, tuning.HEAP_PAUSE

-- True while we set the pause; nil once a program has set its own: we stop adjusting it.
local pacing = false

local function pace(proxy)
   if not pacing or finalizers.ending then return end
   local heap = collectgarbage 'count' * 1024
   collectgarbage('setpause', max(DOUBLED, floor(100 + 100 * GROWTH / heap)))
   newproxy(proxy)
end

-- Begins to set the pause, at the first use of a tensor.
function collector.start()
   if pacing ~= false then return end
   pacing = true
   local proxy = newproxy(true)
   getmetatable(proxy).__gc = pace
   pace(proxy)
end

-- Lua's collectgarbage, which also collects what only dead views kept alive.
function collector.collectgarbage(option, ...)
   if option ~= 'count' and finalizers.ending then return 0 end
   if option == 'setpause' then pacing = nil end
   if option ~= nil and option ~= 'collect' then return collectgarbage(option, ...) end
   repeat collectgarbage() until not places.close()
   finalizers.run()
   return 0
end

return collector

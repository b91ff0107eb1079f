-- Schedules Lua's collector. It does not see memory of malloc, so it is driven by allocated bytes; and it is kept from
-- traversing the library itself too often. See docs/decisions/0005-driving-the-collector.md.

local collectgarbage, getmetatable, newproxy = collectgarbage, getmetatable, newproxy
local floor, max, min = math.floor, math.max, math.min
local cache, finalizers = require 'torch.memory.cache', require 'torch.memory.finalizers'
local slots = require 'torch.memory.slots'
local tuning = require 'torch.loops.tuning'

-- shared_memory: whether a storage was mapped under a name that other processes see until it is collected.
local collector = { shared_memory = false }

-- The collector runs after a budget of allocations. A small budget reuses memory while it is in the caches; large
-- heaps take long to collect. Memory dies one cycle after its tensors: garbage is bounded by twice the budget.
local MIN_BUDGET, MAX_BUDGET, BYTES_PER_BYTE = tuning.MIN_BUDGET, tuning.MAX_BUDGET, tuning.BYTES_PER_BYTE
local debt, budget = 0, MIN_BUDGET

-- A step of this many kilobytes ends a cycle. A full collection would sweep all objects twice.
local CYCLE = 2 ^ 20

local function run()
   debt = 0
   cache.next_turn()
   collectgarbage('step', CYCLE)
   budget = min(max(collectgarbage 'count' * 1024 * BYTES_PER_BYTE, MIN_BUDGET), MAX_BUDGET)
   slots.close()
end

-- Counts a block before its allocation. Objects that are unreachable at the end of the state are not collected.
function collector.count(bytes)
   debt = debt + bytes
   if debt > budget and not finalizers.ending then run() end
end

-- Lua's collector starts a cycle when its heap has doubled. Programs that use tensors make small objects by the
-- million, while most of the marked objects belong to this library: so the heap may always grow by GROWTH bytes. An
-- unreferenced object is finalized at the end of each cycle and sets the pause for the next one. A cycle has few steps,
-- between which the program would fill memory that is about to be freed with objects of all sizes.
local GROWTH, DOUBLED = tuning.HEAP_GROWTH, tuning.HEAP_PAUSE

-- True while we set the pause; nil once a program has set its own, which we then leave alone, and so the size of steps.
local pacing, step_size = false, tuning.HEAP_STEP

local function pace(proxy)
   if not pacing or finalizers.ending then return end
   local heap = collectgarbage 'count' * 1024
   collectgarbage('setpause', max(DOUBLED, floor(100 + 100 * GROWTH / heap)))
   newproxy(proxy)
end

-- Starts to set the pause, at the first use of a tensor.
function collector.start()
   if pacing ~= false then return end
   pacing = true
   if step_size then collectgarbage('setstepmul', step_size) end
   local proxy = newproxy(true)
   getmetatable(proxy).__gc = pace
   pace(proxy)
end

-- Collects garbage until views that are dead keep at most the given bytes.
local function collect(kept_bytes)
   repeat
      local lost = {}
      collectgarbage()
      slots.close(lost)
   until slots.lost_bytes(lost) <= kept_bytes
   -- A mapping is reached through two weak tables, each of which delays its collection by a cycle.
   for _ = 1, collector.shared_memory and 2 or 0 do collectgarbage() end
   -- After a failed allocation, freed blocks are returned to the system as well.
   if cache.starved then
      cache.drop()
      cache.starved = false
   end
   finalizers.run()
end

-- Frees all memory that is not in use.
function collector.free_memory()
   if not finalizers.ending then collect(0) end
end

-- What dead views keep may wait for the next collection up to this size: programs that collect garbage in each step of
-- a loop would otherwise traverse the heap twice.
local KEPT_BYTES = 8 * 2 ^ 20

-- Lua's collectgarbage, which also collects memory that only dead views kept alive.
function collector.collectgarbage(option, ...)
   if option ~= 'count' and finalizers.ending then return 0 end
   if option == 'setpause' then pacing = nil end
   if option == 'setstepmul' then step_size = nil end
   if option ~= nil and option ~= 'collect' then return collectgarbage(option, ...) end
   collect(KEPT_BYTES)
   return 0
end

return collector

-- Places record which tensor looks at which memory. Tensors come and go too fast for finalizers and for weak tables
-- with keys.
--
-- One that looks at the memory of another owner, and an owner that has a block, has a place, `_anchor`, in two lists:
-- `holders` holds it weakly, `held` holds the owner, or the base of the block as a number. `_anchor` is 0 for no place.
-- After collections, and when no place is free, the blocks of the dead are freed and their places become free; `free`
-- lists them from 1 on, and free[0] is their number. A place that is free or not yet used holds false, one whose holder
-- was collected nil.
--
-- Places are written in the order that cache.lua describes, for Ctrl-C.

local setmetatable, type = setmetatable, type
local ffi = require 'ffi'
local cache, finalizers = require 'torch.memory.cache', require 'torch.memory.finalizers'
local copy, max, release = ffi.copy, math.max, cache.release

local places = {}

local LEAST_ROOM = 1024
local integers_ct = ffi.typeof 'int32_t[?]'
local holders, held, room = setmetatable({}, { __mode = 'v' }), {}, LEAST_ROOM
local free = integers_ct(room + 1)

local function list_free(place)
   local count = free[0] + 1
   free[count] = place
   free[0] = count
end

local function add(first, last)
   for k = first, last do holders[k], held[k] = false, false end
   for k = last, first, -1 do list_free(k) end
end
add(1, LEAST_ROOM)

-- Shortens the lists to places up to `last`, behind which none is taken.
local function cut(last)
   local new_holders, new_held = setmetatable({}, { __mode = 'v' }), {}
   for k = 1, last do new_holders[k], new_held[k] = holders[k], held[k] end
   holders = new_holders
   held = new_held
   room = last
end

-- Shrink after PATIENCE collections in turn that leave the lists almost empty.
local PATIENCE, sparse = 16, 0

local function shrink()
   local last = 0
   for k = 1, room do
      if holders[k] then last = k end
   end
   sparse = room > LEAST_ROOM and last < room / 8 and sparse + 1 or 0
   if sparse > PATIENCE then
      cut(max(LEAST_ROOM, 2 * last))
      sparse = 0
   end
end

local function grow()
   local before, longer = room, integers_ct(2 * room + 1)
   copy(longer, free, 4 * (free[0] + 1))
   free = longer
   room = 2 * before
   add(before + 1, room)
end

-- Frees the blocks that only the dead held, and lists the free places, the first of them last. Blocks are freed in the
-- order in which they mostly were taken: the next tensor gets the latest, which the processor's caches may still hold.
-- The result tells whether owners lost a view: they can be collected now.
function places.close()
   if not finalizers.ending then cache.release_doomed() end
   free[0] = 0
   shrink()
   local lost = false
   for k = 1, room do
      if not holders[k] then
         local thing = held[k]
         held[k], holders[k] = false, false
         if type(thing) == 'number' then release(thing) elseif thing then lost = true end
      end
   end
   for k = room, 1, -1 do
      if not holders[k] then list_free(k) end
   end
   if free[0] < room / 2 then grow() end
   return lost
end

-- Frees the blocks of all places, at the end of a state.
function places.release_all()
   for k = 1, room do
      if type(held[k]) == 'number' then release(held[k]) end
   end
   free[0], room = 0, 0
end

-- A place for a new view and the owner of what it will look at, or for an owner and its block.
function places.new(holder, thing)
   if free[0] == 0 then places.close() end
   local count = free[0]
   local place = free[count]
   free[0] = count - 1
   held[place] = thing
   holders[place] = holder
   return place
end

-- Gives a holder without a place one.
function places.take(holder, thing) holder._anchor = places.new(holder, thing) end

-- The owner or block of a place.
function places.thing(place) return held[place] end

function places.set_thing(place, thing) held[place] = thing end

function places.set_holder(place, holder) holders[place] = holder end

-- Frees a place.
function places.leave(place)
   holders[place] = false
   list_free(place)
end

return places

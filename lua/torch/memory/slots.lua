-- Slots record which tensor views which memory: tensors are created and collected too fast for finalizers and weak
-- tables. A tensor that views another owner's memory, and an owner with a block, has a slot, `_anchor` (0: none), in
-- two lists: `holders` refers to it weakly, `held` to the owner or holds the block's base. After collections, and when
-- no slot is free, the blocks of dead objects are freed; `free` lists free slots from 1, free[0] is their number. A
-- free slot holds false, one whose holder was collected nil. They are written in the order of cache.lua, for Ctrl-C.
-- See docs/decisions/0007-slots.md.

local next, rawequal, setmetatable, type = next, rawequal, setmetatable, type
local ffi = require 'ffi'
local cache, finalizers = require 'torch.memory.cache', require 'torch.memory.finalizers'
local copy, huge, max, release = ffi.copy, math.huge, math.max, cache.release

-- keepers[owner] keeps foreign memory alive.
local slots = { keepers = setmetatable({}, { __mode = 'k' }) }

local MIN_CAPACITY = 1024
local integers_ct = ffi.typeof 'int32_t[?]'
local holders, held, capacity = setmetatable({}, { __mode = 'v' }), {}, MIN_CAPACITY
local free = integers_ct(capacity + 1)

local function list_free(slot)
   local count = free[0] + 1
   free[count] = slot
   free[0] = count
end

local function add(first, last)
   for k = first, last do holders[k], held[k] = false, false end
   for k = last, first, -1 do list_free(k) end
end
add(1, MIN_CAPACITY)

local function cut(last)
   local new_holders, new_held = setmetatable({}, { __mode = 'v' }), {}
   for k = 1, last do new_holders[k], new_held[k] = holders[k], held[k] end
   holders = new_holders
   held = new_held
   capacity = last
end

-- Shrink after PATIENCE consecutive collections that leave the lists almost empty.
local PATIENCE, sparse = 16, 0

local function shrink()
   local last = 0
   for k = 1, capacity do
      if holders[k] then last = k end
   end
   sparse = capacity > MIN_CAPACITY and last < capacity / 8 and sparse + 1 or 0
   if sparse > PATIENCE then
      cut(max(MIN_CAPACITY, 2 * last))
      sparse = 0
   end
end

local function grow()
   local before, longer = capacity, integers_ct(2 * capacity + 1)
   copy(longer, free, 4 * (free[0] + 1))
   free = longer
   capacity = 2 * before
   add(before + 1, capacity)
end

-- Frees the blocks held only by dead objects, and lists the free slots, the first of them last. Blocks are freed
-- roughly in allocation order: the next tensor gets the latest, which may still be in the processor's caches. Adds the
-- owners that lost a view, as keys, to `lost` if given.
function slots.close(lost)
   if not finalizers.ending then cache.release_doomed() end
   free[0] = 0
   shrink()
   for k = 1, capacity do
      if not holders[k] then
         local thing = held[k]
         held[k], holders[k] = false, false
         if type(thing) == 'number' then release(thing) elseif thing and lost then lost[thing] = true end
      end
   end
   for k = capacity, 1, -1 do
      if not holders[k] then list_free(k) end
   end
   if free[0] < capacity / 2 then grow() end
end

-- Returns the bytes of the blocks of those owners in `lost` that have no view any more; infinity if one has foreign
-- memory. Their elements inside the LuaJIT heap are not counted.
function slots.lost_bytes(lost)
   for k = 1, capacity do
      if holders[k] and held[k] then lost[held[k]] = nil end
   end
   local bytes = 0
   for owner in next, lost do
      local base = held[owner._anchor]
      if type(base) == 'number' then bytes = bytes + cache.bytes(base) end
      if slots.keepers[owner] then bytes = huge end
   end
   return bytes
end

function slots.release_all()
   for k = 1, capacity do
      if type(held[k]) == 'number' then release(held[k]) end
   end
   free[0], capacity = 0, 0
end

-- Allocates a slot for a new view and the owner of its memory, or for an owner and its block.
function slots.new(holder, thing)
   if free[0] == 0 then slots.close() end
   local count = free[0]
   local slot = free[count]
   free[0] = count - 1
   held[slot] = thing
   holders[slot] = holder
   return slot
end

function slots.take(holder, thing) holder._anchor = slots.new(holder, thing) end

function slots.thing(slot) return held[slot] end

function slots.set_thing(slot, thing) held[slot] = thing end

function slots.set_holder(slot, holder) holders[slot] = holder end

-- Moves all views of an owner to its successor, and calls update(view) for each.
function slots.replace(owner, successor, update)
   for k = 1, capacity do
      if rawequal(held[k], owner) then
         held[k] = successor
         if holders[k] then update(holders[k]) end
      end
   end
end

function slots.leave(slot)
   holders[slot] = false
   list_free(slot)
end

return slots

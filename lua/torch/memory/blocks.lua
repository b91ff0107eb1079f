-- Memory: what tensors and storages share, and who owns it. An owner is a cdata with a header: a tensor or a
-- memory object. Small memory lives in the LuaJIT heap, inside the owner. Large memory is a block of malloc, freed
-- after the collector took the owner: a new tensor holds its block alone, so that a temporary needs one collection,
-- and hands it to a memory object when a second tensor or a storage is to look at it. Memory of
-- others (NumPy, mapped files) is kept alive by a keeper.
--
-- The capacity of a memory never shrinks, and its old block is kept while somebody may still look at it.
-- Every tensor fits into its memory when it is set, so no later resize can leave it with a wild pointer.

local floor, max, setmetatable, tonumber, type = math.floor, math.max, setmetatable, tonumber, type
local ffi = require 'ffi'
local errors = require 'torch.core.errors'
local cache, collector = require 'torch.memory.cache', require 'torch.memory.collector'
local gc, places = require('torch.memory.finalizers').gc, require 'torch.memory.places'
local tuning = require 'torch.core.tuning'
local cast, copy, fill, istype = ffi.cast, ffi.copy, ffi.fill, ffi.istype
local leave, new_place, release, set_holder = places.leave, places.new, cache.release, places.set_holder
local set_thing, take, thing_of = places.set_thing, places.take, places.thing

local memory = {}

local INLINE_BYTES = tuning.INLINE_BYTES
-- Up to this many bytes the memory that a program asks for by sizes is zero, as old documents show it; zeroing larger
-- memory would double the time of filling it.
local ZEROED_BYTES = 4096
memory.INLINE_BYTES, memory.ZEROED_BYTES = INLINE_BYTES, ZEROED_BYTES
-- No address space has more: sizes beyond it are errors before they are multiplied.
local MOST_BYTES = 2 ^ 46
memory.MOST_BYTES = MOST_BYTES

-- Values of `_flags`: nobody but tensors and storages looks at the block; somebody may; it is not ours to resize.
local OWN, EXPOSED, FIXED = 0, 1, 2
memory.FIXED = FIXED

-- anchor[storage or pointer] = owner. keepers[owner] = what keeps foreign memory alive; retired[owner] = blocks that
-- grew away but may still be looked at.
local weak = { __mode = 'k' }
memory.anchor = setmetatable({}, weak)
local keepers, retired = setmetatable({}, weak), setmetatable({}, weak)

-- The headers of all types have the same layout.
local header_p = ffi.typeof 't7_DoubleHeader *'
local char_p = ffi.typeof 'char *'
local HEADER_BYTES = ffi.sizeof 't7_DoubleHeader'
memory.HEADER_BYTES = HEADER_BYTES

-- A block of at least `wanted` bytes for a type: the number of its base and the address of its data.
local function new_block(wanted, T)
   if not (wanted < MOST_BYTES) then errors.raise('not enough memory: %.0f bytes asked for', wanted) end
   local bytes = cache.rounded(wanted)
   collector.count(bytes)
   local base, data = cache.block(bytes, T)
   if not base then
      cache.drop()
      collector.collectgarbage()
      cache.drop()
      base, data = cache.block(bytes, T)
      if not base then errors.raise('not enough memory: %.0f bytes asked for', wanted) end
   end
   return base, data
end

-- Gives a new view a place, for the owner of what it will look at.
memory.anchor_view = take

-- The tensor, which may have a place and looks at nothing now, is going to look at memory of `owner`, nil for its own
-- or none. A block that it alone looked at goes at once.
function memory.anchor_tensor(t, owner)
   local place = t._anchor
   if place == 0 then
      if owner then take(t, owner) end
      return
   end
   local thing = thing_of(place)
   set_thing(place, owner or false)
   if type(thing) == 'number' then
      cast(header_p, t._own)._block = 0
      release(thing)
   end
   if not owner then
      t._anchor = 0
      leave(place)
   end
end

-- Moves the block of a tensor that alone looked at it to an owner of its own, because it is going to be shared.
local function promote(t, T, place)
   local owner = T.memory_ct(0)
   local header = cast(T.header_ct, t._own)
   owner._header = header[0]
   local other = new_place(t, owner)
   owner._anchor = place
   set_holder(place, owner)
   t._memory = owner._header
   t._anchor = other
   header._block = 0
   return owner
end

-- The owner of what `t` looks at, which from now on somebody else may look at too.
function memory.shared_owner(t, T)
   local place = t._anchor
   if place == 0 then return t end
   local owner = thing_of(place)
   return type(owner) == 'number' and promote(t, T, place) or owner
end

-- The owner of what `t` looks at, for its memory to be resized.
function memory.owner(t)
   local owner = t._anchor > 0 and thing_of(t._anchor)
   return type(owner) ~= 'number' and owner or t
end

-- A header gets a block for `count` elements. The number of its base.
local function fill_header(header, T, count)
   local base, data = new_block(count * T.size, T)
   header._block, header._data, header._capacity = base, cast(T.pointer_ct, data), count
   return base
end

-- A tensor of no dimension with a block for `count` elements that it holds alone.
function memory.new_alone(T, count)
   local t = T.tensor_ct(HEADER_BYTES)
   local header = cast(T.header_ct, t._own)
   take(t, fill_header(header, T, count))
   header._size, t._memory = count, header
   return t
end

-- New memory for `count` elements of type T. Small memory is zero; what large memory holds is not determined.
function memory.new(T, count)
   local owner
   if count * T.size <= INLINE_BYTES then
      owner = T.memory_ct(count)
      owner._header._data = owner._own
      owner._header._capacity = count
   else
      owner = T.memory_ct(0)
      take(owner, fill_header(owner._header, T, count))
      if count * T.size <= ZEROED_BYTES then fill(owner._header._data, count * T.size) end
   end
   owner._header._size = count
   return owner
end

-- Memory of somebody else: `data` holds `count` elements and is valid as long as `keeper` lives.
function memory.foreign(T, data, count, keeper)
   local owner = T.memory_ct(0)
   local header = owner._header
   header._data, header._size, header._capacity, header._flags = data, count, count, FIXED
   keepers[owner] = keeper
   return owner
end

-- Tells whether two headers, for elements of so many bytes, have bytes in common.
function memory.overlap(a, a_size, b, b_size)
   local first, second = tonumber(cast('intptr_t', a._data)), tonumber(cast('intptr_t', b._data))
   return first < second + b._capacity * b_size and second < first + a._capacity * a_size
end

-- Keeps the block through later growth: a pointer to it was given away.
function memory.expose(header)
   if header._flags == OWN then header._flags = EXPOSED end
end

-- Finalizers of blocks without a place.
local function release_grown(t) cache.doom(cast(header_p, t._own)._block) end
local function release_retired(pointer) cache.doom(tonumber(cast('intptr_t', pointer))) end

-- Hands the block that an owner grew into to what frees it: its place; or, for a small tensor that owned its elements
-- and may use its place to look at another owner, a finalizer.
local function hold_grown(owner, is_memory, base, old)
   local place = owner._anchor
   if place > 0 and (is_memory or type(thing_of(place)) == 'number') then
      set_thing(place, base)
   elseif is_memory then
      take(owner, base)
   elseif old == 0 then
      gc(owner, release_grown)
   end
end

-- Sets the number of elements; what is there stays. Views of the old extent stay valid.
function memory.resize(owner, T, count)
   local is_memory = istype(T.memory_ct, owner)
   local header = is_memory and owner._header or cast(T.header_ct, owner._own)
   if count > header._capacity then
      if header._flags == FIXED then
         errors.raise('cannot resize a storage of %.0f elements whose memory belongs to a file or an array to %.0f',
            header._size, count)
      end
      -- Memory grows by half of it at least, large memory by an eighth: pushing one element at a time stays linear.
      local capacity = header._capacity
      local wanted = max(count, floor(capacity * (capacity * T.size < 2 ^ 20 and 1.5 or 1.125)))
      local base, data = new_block(wanted * T.size, T)
      local to, old = cast(T.pointer_ct, data), header._block
      copy(to, header._data, capacity * T.size)
      fill(to + capacity, (wanted - capacity) * T.size)
      header._block, header._data, header._capacity = base, to, wanted
      hold_grown(owner, is_memory, base, old)
      if old ~= 0 then
         if header._flags == EXPOSED then
            retired[owner] = { gc(cast(char_p, old), release_retired), retired[owner] }
         else
            release(old)
         end
      end
   end
   header._size = count
end

-- The first element of a tensor as a pointer. That of x:data() keeps the memory alive, for which an owner of its own is
-- made; this one does not: name the tensor behind its last use.
function memory.start(t) return t._memory._data + t._offset end

-- Does nothing. A pointer does not keep its memory alive, and compiled code drops objects after their last use:
-- kernels that may allocate between taking a pointer and using it name the objects once more at their end.
function memory.alive() end

-- They live as long as the state.
memory.ends = require('torch.memory.shutdown')(keepers)

return memory

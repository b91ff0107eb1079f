-- Buffers: the memory that tensors and storages share, and its owners. An owner is a cdata with a header: a tensor or a
-- memory object. A small buffer lives in the LuaJIT heap, inside the owner. A large one is a block of malloc, freed
-- after its owner was collected: a new tensor holds its block exclusively, so that a temporary needs one collection,
-- and hands it to a memory object when a second tensor or a storage aliases it. Foreign memory (NumPy, mapped files) is
-- kept alive by a keeper. See docs/decisions/0002-memory-ownership.md.
--
-- The capacity of a buffer never shrinks, and an outgrown block is kept while something may still alias it. Every
-- tensor fits its buffer when it is set, so no later resize can leave it with a dangling pointer.

local floor, max, setmetatable, type = math.floor, math.max, setmetatable, type
local ffi = require 'ffi'
local address_of, errors = require('torch.native.native').address_of, require 'torch.base.errors'
local cache, collector = require 'torch.memory.cache', require 'torch.memory.collector'
local gc, slots = require('torch.memory.finalizers').gc, require 'torch.memory.slots'
local finish_trace = require('torch.jit.trace').finish
local placement, tuning = require 'torch.memory.placement', require 'torch.loops.tuning'
local cast, copy, fill, istype = ffi.cast, ffi.copy, ffi.fill, ffi.istype
local leave, new_slot, release, set_holder = slots.leave, slots.new, cache.release, slots.set_holder
local set_thing, take, thing_of = slots.set_thing, slots.take, slots.thing

local buffers = {}

local INLINE_BYTES = tuning.INLINE_BYTES
buffers.INLINE_BYTES = INLINE_BYTES
-- No address space is larger: greater sizes are rejected before they are multiplied.
local MAX_BYTES = 2 ^ 46
buffers.MAX_BYTES = MAX_BYTES

-- Values of `_flags`: only tensors and storages use the block; a loop uses it too, which continues after a resize;
-- others may write to it at any time; the block must not be resized; other Lua states use it, see shared.lua.
local OWN, HELD, EXPOSED, FIXED, SHARED = 0, -1, 1, 2, 3
buffers.FIXED, buffers.SHARED = FIXED, SHARED

-- anchor[storage or pointer] = owner. retired[owner] = outgrown blocks in use.
local weak = { __mode = 'k' }
buffers.anchor = setmetatable({}, weak)
local keepers, retired = slots.keepers, setmetatable({}, weak)

-- The headers of all types have the same layout.
local header_p = ffi.typeof 't7_DoubleHeader *'
local char_p = ffi.typeof 'char *'
local HEADER_BYTES = ffi.sizeof 't7_DoubleHeader'
buffers.HEADER_BYTES = HEADER_BYTES

-- Allocates a block of at least `wanted` bytes for a type: returns its base as a number and the address of its data.
local function new_block(wanted, T)
   finish_trace()
   if not (wanted < MAX_BYTES) then errors.raise('not enough memory: %.0f bytes asked for', wanted) end
   local bytes = cache.rounded(wanted)
   collector.count(bytes)
   local base, data = cache.block(bytes, T)
   if not base then
      cache.drop()
      collector.free_memory()
      cache.drop()
      base, data = cache.block(bytes, T)
      if not base then
         cache.starved = true
         errors.raise('not enough memory: %.0f bytes asked for', wanted)
      end
   end
   return base, data
end

buffers.new_block = new_block

buffers.anchor_view = take

-- Detaches a tensor so that it can view the memory of `owner`, or its own if nil. Its exclusive block is freed.
function buffers.anchor_tensor(t, owner)
   local slot = t._anchor
   if slot == 0 then
      if owner then take(t, owner) end
      return
   end
   local thing = thing_of(slot)
   set_thing(slot, owner or false)
   if type(thing) == 'number' then
      cast(header_p, t._own)._block = 0
      release(thing)
   end
   if not owner then
      t._anchor = 0
      leave(slot)
   end
end

-- Moves the exclusive block of a tensor to a new owner before it becomes shared.
local function promote(t, T, slot)
   local owner = T.memory_ct(0)
   local header = cast(T.header_ct, t._own)
   owner._header = header[0]
   local other = new_slot(t, owner)
   owner._anchor = slot
   set_holder(slot, owner)
   t._memory = owner._header
   t._anchor = other
   header._block = 0
   return owner
end

-- Returns the owner of the memory of `t`, which other objects may use from now on.
function buffers.shared_owner(t, T)
   local slot = t._anchor
   if slot == 0 then return t end
   local owner = thing_of(slot)
   return type(owner) == 'number' and promote(t, T, slot) or owner
end

-- Returns the owner of the memory of `t`, which is about to be resized.
function buffers.owner(t)
   local owner = t._anchor > 0 and thing_of(t._anchor)
   return type(owner) ~= 'number' and owner or t
end

-- Allocates a block for `count` elements, recorded in a header; returns its base as a number.
local function fill_header(header, T, count)
   local base, data = new_block(count * T.size, T)
   header._block, header._data, header._capacity = base, cast(T.pointer_ct, data), count
   return base
end

-- Returns a tensor without dimensions that alone holds a block for `count` elements.
function buffers.new_alone(T, count)
   local t = T.tensor_ct(HEADER_BYTES)
   local header = cast(T.header_ct, t._own)
   take(t, fill_header(header, T, count))
   header._size, t._memory = count, header
   return t
end

-- Allocates `count` elements of type T. Small memory is zeroed; the contents of large memory are undefined.
function buffers.new(T, count)
   local owner
   if count * T.size <= INLINE_BYTES then
      owner = T.memory_ct(count)
      owner._header._data = owner._own
      owner._header._capacity = count
   else
      owner = T.memory_ct(0)
      take(owner, fill_header(owner._header, T, count))
   end
   owner._header._size = count
   if T.base and placement.current ~= placement.first then placement.record(owner) end
   return owner
end

-- Wraps foreign memory: `data` holds `count` elements and is valid as long as `keeper` lives.
function buffers.foreign(T, data, count, keeper)
   local owner = T.memory_ct(0)
   local header = owner._header
   header._data, header._size, header._capacity, header._flags = data, count, count, FIXED
   keepers[owner] = keeper
   return owner
end

-- Returns the keeper of foreign memory of an owner, nil for our own.
function buffers.keeper(owner) return keepers[owner] end

-- Returns whether two headers, for elements of the given bytes, have bytes in common.
function buffers.overlap(a, a_size, b, b_size)
   local first, second = address_of(a._data), address_of(b._data)
   return first < second + b._capacity * b_size and second < first + a._capacity * a_size
end

-- Keeps the block through later growth, since a pointer to it was handed out.
function buffers.expose(header)
   if header._flags <= OWN then header._flags = EXPOSED end
end

-- The same for a pointer that does not leave the library.
function buffers.retain(header)
   if header._flags == OWN then header._flags = HELD end
end

-- Tells whether others may write to the memory at any time: threads, other processes, programs in Python. Earlier
-- checks of its elements may then no longer hold.
function buffers.is_shared(header) return header._flags > OWN end

-- Finalizers of blocks without a slot.
local function release_grown(t) cache.doom(cast(header_p, t._own)._block) end
local function release_retired(pointer) cache.doom(address_of(pointer)) end

-- Registers the block that an owner grew into: in its slot, or by a finalizer for a small tensor that may still need
-- its slot.
local function hold_grown(owner, is_memory, base, old)
   local slot = owner._anchor
   if slot > 0 and (is_memory or type(thing_of(slot)) == 'number') then
      set_thing(slot, base)
   elseif is_memory then
      take(owner, base)
   elseif old == 0 then
      gc(owner, release_grown)
   end
end

function buffers.forget_block(owner, base)
   local slot = owner._anchor
   if slot > 0 and thing_of(slot) == base then
      set_thing(slot, false)
      owner._anchor = 0
      leave(slot)
   else
      gc(owner, nil)
   end
end

-- Sets the number of elements and keeps the contents. Views of the old extent remain valid.
function buffers.resize(owner, T, count)
   local is_memory = istype(T.memory_ct, owner)
   local header = is_memory and owner._header or cast(T.header_ct, owner._own)
   if header._flags == SHARED then return buffers.resize_shared(owner, T, count) end
   if count > header._capacity then
      if header._flags == FIXED then
         errors.raise('cannot resize a storage of %.0f elements whose memory belongs to a file or an array to %.0f',
            header._size, count)
      end
      -- Memory grows by at least half, large memory by an eighth: pushing one element at a time stays linear.
      local capacity = header._capacity
      local wanted = max(count, floor(capacity * (capacity * T.size < 2 ^ 20 and 1.5 or 1.125)))
      local base, data = new_block(wanted * T.size, T)
      local to, old = cast(T.pointer_ct, data), header._block
      copy(to, header._data, capacity * T.size)
      fill(to + capacity, (wanted - capacity) * T.size)
      header._block, header._data, header._capacity = base, to, wanted
      hold_grown(owner, is_memory, base, old)
      if old ~= 0 then
         if header._flags == EXPOSED or header._flags == HELD then
            retired[owner] = { gc(cast(char_p, old), release_retired), retired[owner] }
         else
            release(old)
         end
      end
   end
   header._size = count
end

-- Returns a pointer to the first element of a tensor. Unlike the pointer from x:data(), which gives the memory a
-- separate owner, it does not keep the memory alive: name the tensor after its last use.
function buffers.start(t) return t._memory._data + t._offset end

-- Does nothing. A pointer does not keep its memory alive, and compiled code drops objects after their last use:
-- kernels that may allocate between taking a pointer and using it name the objects once more at their end.
function buffers.keep_alive() end

-- They live as long as the state.
buffers.ends = require('torch.memory.shutdown')(keepers)

return buffers

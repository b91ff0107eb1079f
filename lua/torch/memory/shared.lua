-- Memory shared by several Lua states: a header and its block outside of all states, with a count of the states that
-- refer to it. The last one frees it. See docs/decisions/0024-threads.md.
--
-- A shared buffer begins with the fields of a memory object. A pointer to it is therefore an owner like any other, and
-- tensors and storages of all states have the same header: a resize in one of them is visible to the others. An
-- outgrown block is kept until the buffer is freed, since another state may be reading it.

local next, rawequal, setmetatable, type = next, rawequal, setmetatable, type
local floor, max = math.floor, math.max
local ffi = require 'ffi'
local libc = require 'torch.native.libc'
local buffers, cache = require 'torch.memory.buffers', require 'torch.memory.cache'
local collector, uninterruptible = require 'torch.memory.collector', require 'torch.base.uninterruptible'
local address_of, errors = require('torch.native.native').address_of, require 'torch.base.errors'
local finalizers, host = require 'torch.memory.finalizers', require 'torch.native.host'
local slots, types = require 'torch.memory.slots', require 'torch.base.types'
local locks = require 'torch.base.locks'
local cast, copy, fill, gc, istype = ffi.cast, ffi.copy, ffi.fill, finalizers.gc, ffi.istype
local lock, unlock = locks.lock, locks.unlock
local FIXED, SHARED = buffers.FIXED, buffers.SHARED

local shared = {}

-- `references` counts the states and messages that refer to the buffer. `keeper` is Python's number for the owner of
-- the memory of an array or a file, `parent` the buffer that contains this one, `old` the outgrown blocks.
ffi.cdef [[
typedef struct t7_Outgrown { double block; struct t7_Outgrown *before; } t7_Outgrown;
typedef struct t7_Shared {
   t7_DoubleHeader header; double anchor;
   double references, keeper, bytes;
   struct t7_Shared *parent; t7_Outgrown *old;
   char mutex[64];
} t7_Shared;
]]
local shared_p, header_p = ffi.typeof 't7_Shared *', ffi.typeof 't7_DoubleHeader *'
local outgrown_p, null = ffi.typeof 't7_Outgrown *', cast('void *', 0)

-- Owners in this state by buffer address; and the successors of owners whose memory was moved to a buffer.
local known = setmetatable({}, { __mode = 'v' })
local successors = setmetatable({}, { __mode = 'k' })

local function number_of(object) return address_of(cast('void *', object)) end

local function buffer_at(address) return cast(shared_p, cast('intptr_t', address)) end

function shared.retain(address)
   local buffer = buffer_at(address)
   lock(buffer.mutex)
   buffer.references = buffer.references + 1
   unlock(buffer.mutex)
end

-- Releases a reference; the last release frees the memory.
local function release(address)
   local buffer = buffer_at(address)
   lock(buffer.mutex)
   buffer.references = buffer.references - 1
   local last = buffer.references == 0
   unlock(buffer.mutex)
   if not last then return end
   -- Not to the cache of this state: another state may be the one that allocates such blocks, by malloc.
   if buffer.header._block ~= 0 then libc.t7_free(cast('char *', buffer.header._block)) end
   local old = buffer.old
   while old ~= null do
      local before = old.before
      libc.t7_free(cast('char *', old.block))
      libc.t7_free(old)
      old = before
   end
   if buffer.bytes < 0 then
      shared.drop(buffer.keeper)
   elseif buffer.keeper ~= 0 then
      host.release(buffer.keeper)
   end
   if buffer.parent ~= null then release(number_of(buffer.parent)) end
   locks.destroy(buffer.mutex)
   libc.t7_free(buffer)
end
shared.release = release

local function release_owner(owner) release(number_of(owner)) end

-- The owner in this state of the buffer at an address, for type T. The caller keeps its reference.
function shared.owner(address, T)
   local owner = known[address]
   if owner then return owner end
   local buffer = buffer_at(address)
   shared.retain(address)
   -- Memory from another state eventually becomes garbage of this one.
   collector.count(buffer.bytes)
   owner = gc(cast(ffi.typeof('$ *', T.memory_ct), buffer), release_owner)
   known[address] = owner
   return owner
end

-- A buffer without elements that keeps a numbered object until it is unreferenced; then shared.drop is called with the
-- number. Returns its address, with a reference for the caller.
function shared.keep(number)
   local buffer = cast(shared_p, libc.t7_calloc(1, ffi.sizeof 't7_Shared'))
   if cast('intptr_t', buffer) == 0 then errors.raise 'threads: out of memory' end
   locks.init(buffer.mutex)
   buffer.references, buffer.keeper, buffer.bytes = 1, number, -1
   return number_of(buffer)
end

function shared.kept_number(address) return buffer_at(address).keeper end

-- An object that holds a reference to the buffer at an address during its lifetime.
function shared.handle(address)
   shared.retain(address)
   return gc(buffer_at(address), release_owner)
end

local function redirect(owner, successor)
   slots.replace(owner, successor, function(view) view._memory = successor._header end)
   for object, whose in next, buffers.anchor do
      if rawequal(whose, owner) and types.of_storage(object) then
         object._memory = successor._header
         buffers.anchor[object] = successor
      end
   end
end

-- Moves the block of an owner to a buffer; small memory in the heap of this state is copied to a block.
local function move_block(buffer, owner, header, T)
   local base = header._block
   if base == 0 then
      local capacity = max(header._capacity, 1)
      local data
      base, data = buffers.new_block(capacity * T.size, T)
      copy(data, header._data, header._capacity * T.size)
      if header._capacity == 0 then fill(data, T.size) end
      header._data = cast(T.pointer_ct, data)
      buffer.header._capacity = capacity
   else
      buffers.forget_block(owner, base)
   end
   header._block, header._flags = 0, FIXED
   buffer.header._block, buffer.header._flags = base, SHARED
   buffer.header._data = cast('double *', header._data)
end

-- Keeps foreign memory alive beyond this state.
local function keep(buffer, owner, T)
   local keeper = buffers.keeper(owner)
   if type(keeper) == 'cdata' then
      local address = shared.address(keeper, T)
      shared.retain(address)
      buffer.parent = buffer_at(address)
   elseif type(keeper) == 'userdata' then
      buffer.keeper = host.retain(keeper)
   else
      errors.raise('threads: memory that belongs to a %s cannot be shared', type(keeper))
   end
end

local function move(owner, T)
   local is_memory = istype(T.memory_ct, owner)
   local header = is_memory and owner._header or cast(T.header_ct, owner._own)
   local buffer = cast(shared_p, libc.t7_calloc(1, ffi.sizeof 't7_Shared'))
   if cast('intptr_t', buffer) == 0 then errors.raise 'threads: out of memory' end
   locks.init(buffer.mutex)
   buffer.header, buffer.references = cast(header_p, header)[0], 1
   if header._flags == FIXED then
      keep(buffer, owner, T)
   else
      move_block(buffer, owner, header, T)
   end
   buffer.bytes = buffer.header._capacity * T.size
   local address = number_of(buffer)
   local successor = shared.owner(address, T)
   redirect(owner, successor)
   if not is_memory and number_of(owner._memory) == number_of(header) then
      slots.take(owner, successor)
      owner._memory = successor._header
   end
   successors[owner] = successor
   release(address)
   return address
end

-- The address of the buffer of an owner, whose memory becomes shared if it was not.
function shared.address(owner, T)
   local address = number_of(owner)
   if known[address] then return address end
   local successor = successors[owner]
   if successor then return number_of(successor) end
   return (uninterruptible.call(move, owner, T))
end

-- Gives a buffer capacity for `count` elements of type T, from any state.
function shared.resize(owner, T, count)
   local buffer = buffer_at(number_of(owner))
   local header = cast(T.header_ct, buffer)
   if count > header._capacity then
      local wanted = max(count, floor(header._capacity * 1.5))
      local base, data = buffers.new_block(wanted * T.size, T)
      local old = cast(outgrown_p, libc.t7_malloc(ffi.sizeof 't7_Outgrown'))
      lock(buffer.mutex)
      local capacity = header._capacity
      if wanted > capacity then
         local to = cast(T.pointer_ct, data)
         copy(to, header._data, capacity * T.size)
         fill(to + capacity, (wanted - capacity) * T.size)
         old.block, old.before = header._block, buffer.old
         buffer.old, header._block = old, base
         -- In this order: other states check the capacity before they follow the pointer.
         header._data = to
         header._capacity, buffer.bytes = wanted, wanted * T.size
         base, old = nil, nil
      end
      unlock(buffer.mutex)
      if base then cache.release(base) end
      if old then libc.t7_free(old) end
   end
   header._size = count
end
buffers.resize_shared = shared.resize

return shared

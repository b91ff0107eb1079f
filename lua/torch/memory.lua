-- Memory: what storages share. Small memory lives in the LuaJIT heap, inside the object; large memory is a
-- block of malloc, freed by a finalizer of the object; memory of others (NumPy, mapped files) has an owner.
--
-- The capacity of a memory never shrinks, and its old block is kept while somebody may still look at it.
-- Every tensor fits into its memory when it is set, so no later resize can leave it with a wild pointer.

local collectgarbage, next, setmetatable, tonumber = collectgarbage, next, setmetatable, tonumber
local ffi = require 'ffi'
local errors = require 'torch.errors'
local C, cast, copy, gc, fill = ffi.C, ffi.cast, ffi.copy, ffi.gc, ffi.fill
local floor, max = math.floor, math.max

ffi.cdef [[
void *malloc(size_t size);
void *realloc(void *block, size_t size);
void free(void *block);
]]

local memory = {}

-- Above this many bytes a block of malloc with a finalizer is cheaper than zeroed memory of LuaJIT.
local INLINE_BYTES = 16384
-- Blocks are aligned for the widest vector loads; their header keeps the size.
local ALIGNMENT, HEADER = 64, 128
-- Freed blocks of at least a page are kept for the next tensor of that size: fresh pages cost more than a copy.
local CACHED_BYTES = 128 * 2 ^ 20
-- What NumPy and malloc own is invisible to Lua's collector, so it is driven by bytes. An object that holds
-- memory dies one cycle after the tensors that looked at it: garbage is bounded by twice this.
local BUDGET = 160 * 2 ^ 20
-- No address space has more: sizes beyond it are errors before they are multiplied.
local LARGEST = 2 ^ 46

-- Values of `_flags`.
memory.OWN, memory.EXPOSED, memory.FIXED = 0, 1, 2
local EXPOSED, FIXED = 1, 2

-- anchor[tensor or storage] = memory; owner[memory] = what keeps foreign memory alive;
-- retired[memory] = blocks that grew away but may still be looked at.
local weak = { __mode = 'k' }
memory.anchor = setmetatable({}, weak)
local owner, retired = setmetatable({}, weak), setmetatable({}, weak)

local byte_p, double_p = ffi.typeof 'char *', ffi.typeof 'double *'
local cache, cached_bytes, live_bytes, debt = {}, 0, 0, 0

local function release_block(base)
   local bytes = cast(double_p, base)[0]
   live_bytes = live_bytes - bytes
   if bytes >= 4096 and cached_bytes + bytes <= CACHED_BYTES then
      local list = cache[bytes]
      if not list then
         list = {}
         cache[bytes] = list
      end
      list[#list + 1] = tonumber(cast('intptr_t', base))
      cached_bytes = cached_bytes + bytes
   else
      C.free(base)
   end
end

local function drop_cache()
   for _, list in next, cache do
      for i = 1, #list do C.free(cast('void *', list[i])) end
   end
   cache, cached_bytes = {}, 0
end

-- A block of at least `bytes` bytes: its base, for release_block, and the address of its data.
local function new_block(bytes)
   if not (bytes < LARGEST) then errors.raise('not enough memory: %.0f bytes asked for', bytes) end
   debt = debt + bytes
   if debt > BUDGET then
      debt = 0
      collectgarbage()
   end
   local list, base = cache[bytes], nil
   local count = list and #list or 0
   if count > 0 then
      base = cast('char *', list[count])
      list[count] = nil
      cached_bytes = cached_bytes - bytes
   else
      base = cast(byte_p, C.malloc(bytes + HEADER))
      if cast('intptr_t', base) == 0 then
         drop_cache()
         collectgarbage()
         collectgarbage()
         drop_cache()
         base = cast(byte_p, C.malloc(bytes + HEADER))
         if cast('intptr_t', base) == 0 then errors.raise('not enough memory: %.0f bytes asked for', bytes) end
      end
      cast(double_p, base)[0] = bytes
   end
   live_bytes = live_bytes + bytes
   local address = tonumber(cast('intptr_t', base)) + 8
   local data = base + 8 + (ALIGNMENT - address % ALIGNMENT) % ALIGNMENT
   return base, data
end

local function release(object)
   release_block(cast('void *', cast('intptr_t', object._block)))
end

-- Gives `object` a block for `count` elements and returns the base of the one it had, nil for none.
local function own_block(object, T, count)
   local base, data = new_block(count * T.size)
   local old = object._block
   object._block = tonumber(cast('intptr_t', base))
   object._data = cast(T.pointer_ct, data)
   object._capacity = count
   if old == 0 then
      gc(object, release)
      return nil
   end
   return cast('void *', cast('intptr_t', old))
end

-- New memory for `count` elements of type T. Large memory is not zeroed unless `zeroed`.
function memory.new(T, count, zeroed)
   local object
   if count * T.size <= INLINE_BYTES then
      object = T.memory_ct(count)
      object._data = object._own
      object._capacity = count
   else
      object = T.memory_ct(0)
      own_block(object, T, count)
      if zeroed then fill(object._data, count * T.size) end
   end
   object._size = count
   return object
end

-- Memory of somebody else: `data` holds `count` elements and is valid as long as `keeper` lives.
function memory.foreign(T, data, count, keeper)
   local object = T.memory_ct(0)
   object._data, object._size, object._capacity, object._flags = data, count, count, FIXED
   owner[object] = keeper
   return object
end

-- From now on the block must outlive its growth: a pointer to it was given away.
function memory.expose(object)
   if object._flags == 0 then object._flags = EXPOSED end
end

-- Sets the number of elements; what is there stays. Views of the old extent stay valid.
function memory.resize(object, T, count)
   if count > object._capacity then
      if object._flags == FIXED then
         errors.raise('cannot resize a storage of %.0f elements whose memory belongs to a file or an array to %.0f',
            object._size, count)
      end
      -- Growth doubles small steps, so that pushing one element at a time stays linear.
      local wanted = max(count, floor(object._capacity * (object._capacity * T.size < 2 ^ 20 and 1.5 or 1)))
      local from, used = object._data, object._capacity
      local old = own_block(object, T, wanted)
      copy(object._data, from, used * T.size)
      fill(object._data + used, (wanted - used) * T.size)
      if old then
         if object._flags == EXPOSED then
            local block = gc(old, release_block)
            retired[object] = { block, retired[object] }
         else
            release_block(old)
         end
      end
   end
   object._size = count
end

-- Does nothing. A pointer does not keep its memory alive, and compiled code drops objects after their last use:
-- kernels that may allocate between taking a pointer and using it name the objects once more at their end.
function memory.alive() end

-- Bytes in blocks that are in use, and in blocks kept for reuse.
function memory.usage()
   return live_bytes, cached_bytes
end

return memory

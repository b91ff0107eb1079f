-- Memory: what tensors and storages share, and who owns it. An owner is a cdata with a `_header`: a tensor or a
-- memory object. Small memory lives in the LuaJIT heap, inside the owner. Large memory is a block of malloc, freed
-- by a finalizer of the owner: a new tensor holds its block alone, so that a temporary is freed as soon as the
-- collector sees it, and hands it to a memory object when a second tensor or a storage is to look at it. Memory of
-- others (NumPy, mapped files) is kept alive by a keeper.
--
-- The capacity of a memory never shrinks, and its old block is kept while somebody may still look at it.
-- Every tensor fits into its memory when it is set, so no later resize can leave it with a wild pointer.

local collectgarbage, next, setmetatable, tonumber = collectgarbage, next, setmetatable, tonumber
local ffi = require 'ffi'
local errors = require 'torch.errors'
local C, cast, copy, gc, fill = ffi.C, ffi.cast, ffi.copy, ffi.gc, ffi.fill
local clock = os.clock
local floor, huge, max, min = math.floor, math.huge, math.max, math.min

require('torch.c').declare [[
void *malloc(size_t size);
void free(void *block);
int madvise(void *start, size_t length, int advice);
]]

local memory = {}

-- Above this many bytes a block of malloc with a finalizer is cheaper than zeroed memory of LuaJIT.
local INLINE_BYTES = 4096
memory.INLINE_BYTES = INLINE_BYTES
-- Blocks are aligned for the widest vector loads; their header keeps the size.
local ALIGNMENT, HEADER = 64, 128
-- Freed blocks of at least a page are kept for the next tensor of that size: fresh pages cost more than a copy.
local CACHED_BYTES = 128 * 2 ^ 20
-- What malloc owns is invisible to Lua's collector, so it is driven by bytes: after a budget of allocations it
-- runs. A small budget lets blocks be reused while the caches still hold them; a large one is for programs whose
-- Lua objects take long to collect. Memory dies one cycle after the tensors that looked at it, so garbage is
-- bounded by twice the budget.
local LEAST_BUDGET, MOST_BUDGET, BYTES_PER_SECOND = 16 * 2 ^ 20, 192 * 2 ^ 20, 30e9
-- No address space has more: sizes beyond it are errors before they are multiplied.
local LARGEST = 2 ^ 46

-- Values of `_flags`: nobody but tensors and storages looks at the block; somebody may; it is not ours to resize.
local OWN, EXPOSED, FIXED = 0, 1, 2

-- anchor[tensor or storage] = owner; a tensor without an entry owns its memory. keepers[owner] = what keeps foreign
-- memory alive; retired[owner] = blocks that grew away but may still be looked at.
local weak = { __mode = 'k' }
memory.anchor = setmetatable({}, weak)
local keepers, retired = setmetatable({}, weak), setmetatable({}, weak)

local byte_p, double_p = ffi.typeof 'char *', ffi.typeof 'double *'
local cache, cached_bytes, debt, budget = {}, 0, 0, LEAST_BUDGET

local function release_block(base)
   local bytes = cast(double_p, base)[0]
   if bytes >= 4096 and cached_bytes + bytes <= CACHED_BYTES then
      local list = cache[bytes]
      if not list then
         list = {}
         cache[bytes] = list
      end
      list[#list + 1] = tonumber(cast('intptr_t', base))
      cached_bytes = cached_bytes + bytes
   else
      C.t7_free(base)
   end
end

local function drop_cache()
   for _, list in next, cache do
      for i = 1, #list do C.t7_free(cast('void *', list[i])) end
   end
   cache, cached_bytes = {}, 0
end

-- Fewer and larger pages: less to set up when memory is first touched, and when the process is forked.
local HUGE_BYTES = ffi.os == 'Linux' and 4 * 2 ^ 20 or huge
local MADV_HUGEPAGE, PAGE = 14, 4096

local function prefer_huge_pages(base, bytes)
   local before = (PAGE - tonumber(cast('intptr_t', base)) % PAGE) % PAGE
   local length = bytes - before
   C.t7_madvise(base + before, length - length % PAGE, MADV_HUGEPAGE)
end

-- A block of at least `bytes` bytes: its base, for release_block, and the address of its data.
local function new_block(bytes)
   if not (bytes < LARGEST) then errors.raise('not enough memory: %.0f bytes asked for', bytes) end
   debt = debt + bytes
   if debt > budget then
      debt = 0
      local start = clock()
      collectgarbage()
      budget = min(max((clock() - start) * BYTES_PER_SECOND, LEAST_BUDGET), MOST_BUDGET)
   end
   local list, base = cache[bytes]
   local count = list and #list or 0
   if count > 0 then
      base = cast('char *', list[count])
      list[count] = nil
      cached_bytes = cached_bytes - bytes
   else
      base = cast(byte_p, C.t7_malloc(bytes + HEADER))
      if cast('intptr_t', base) == 0 then
         drop_cache()
         collectgarbage()
         collectgarbage()
         drop_cache()
         base = cast(byte_p, C.t7_malloc(bytes + HEADER))
         if cast('intptr_t', base) == 0 then errors.raise('not enough memory: %.0f bytes asked for', bytes) end
      end
      cast(double_p, base)[0] = bytes
      if bytes >= HUGE_BYTES then prefer_huge_pages(base, bytes) end
   end
   local address = tonumber(cast('intptr_t', base)) + 8
   local data = base + 8 + (ALIGNMENT - address % ALIGNMENT) % ALIGNMENT
   return base, data
end

local function base_pointer(header) return cast('void *', cast('intptr_t', header._block)) end

-- Frees the block of an owner that nobody looks at any more.
local function release(owner)
   release_block(base_pointer(owner._header))
end

function memory.drop(owner)
   gc(owner, nil)
   release(owner)
   owner._header._block, owner._header._alone = 0, 0
end

-- Moves the block of a tensor that alone looked at it to an owner of its own, because it is going to be shared.
function memory.promote(t, T)
   local owner = T.memory_ct(0)
   owner._header = t._header
   owner._header._alone = 0
   gc(t, nil)
   gc(owner, release)
   t._header._block, t._header._alone = 0, 0
   t._memory = owner._header
   memory.anchor[t] = owner
end

-- Gives `owner` a block for `count` elements and returns the base of the one it had, nil for none.
local function own_block(owner, T, count)
   local base, data = new_block(count * T.size)
   local header = owner._header
   local old = header._block ~= 0 and base_pointer(header) or nil
   header._block = tonumber(cast('intptr_t', base))
   header._data = cast(T.pointer_ct, data)
   header._capacity = count
   if not old then gc(owner, release) end
   return old
end

-- Gives a tensor without memory a block for `count` elements that it holds alone.
function memory.give(t, T, count)
   own_block(t, T, count)
   t._header._size, t._header._alone = count, 1
   t._memory = t._header
end

-- New memory for `count` elements of type T. Small memory is zero; what large memory holds is not determined:
-- zeroing would double the time of filling it.
function memory.new(T, count)
   local owner
   if count * T.size <= INLINE_BYTES then
      owner = T.memory_ct(count)
      owner._header._data = owner._own
      owner._header._capacity = count
   else
      owner = T.memory_ct(0)
      own_block(owner, T, count)
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

-- From now on the block must outlive its growth: a pointer to it was given away.
function memory.expose(header)
   if header._flags == OWN then header._flags = EXPOSED end
end

-- Sets the number of elements; what is there stays. Views of the old extent stay valid.
function memory.resize(owner, T, count)
   local header = owner._header
   if count > header._capacity then
      if header._flags == FIXED then
         errors.raise('cannot resize a storage of %.0f elements whose memory belongs to a file or an array to %.0f',
            header._size, count)
      end
      -- Memory grows by half of it at least, large memory by an eighth: pushing one element at a time stays linear.
      local capacity = header._capacity
      local wanted = max(count, floor(capacity * (capacity * T.size < 2 ^ 20 and 1.5 or 1.125)))
      local from = header._data
      local old = own_block(owner, T, wanted)
      copy(header._data, from, capacity * T.size)
      fill(header._data + capacity, (wanted - capacity) * T.size)
      if old then
         if header._flags == EXPOSED then
            retired[owner] = { gc(old, release_block), retired[owner] }
         else
            release_block(old)
         end
      end
   end
   header._size = count
end

-- Does nothing. A pointer does not keep its memory alive, and compiled code drops objects after their last use:
-- kernels that may allocate between taking a pointer and using it name the objects once more at their end.
function memory.alive() end

return memory

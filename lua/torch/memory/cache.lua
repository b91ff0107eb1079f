-- Blocks of malloc, cached by size and kind: fresh pages cost more than a copy, and malloc slows down after thousands
-- of frees. A block is identified by its base address as a number. Ctrl-C raises an error between any two instructions,
-- so a released block is forgotten before it is freed, and an allocated one recorded before it is used. What that costs
-- beside NumPy: docs/decisions/0021-rows-beside-numpy.md.

local next, tonumber = next, tonumber
local ffi = require 'ffi'
local libc = require 'torch.native.libc'
local tuning = require 'torch.loops.tuning'
local cast, floor, huge = ffi.cast, math.floor, math.huge

-- starved: whether an allocation failed since the last collection by a program.
local cache = { starved = false }

-- Blocks are aligned for the widest vector loads; their header, two doubles, keeps the size and the kind.
local ALIGNMENT, HEADER, FIELDS = 64, 128, 16
-- A block of integers is not reused for fractions, nor one of doubles for floats: its contents may be NaN payloads, see
-- nan_payloads.lua. So blocks are also cached by kind; new ones are zeroed.
local KINDS = 16
local kind_of = { Double = 1, Float = 2, Half = 3 }
local CACHED_BYTES = tuning.CACHED_BYTES

-- Huge pages: fewer faults on first access, and less to set up in a fork.
local HUGE_BYTES = ffi.os == 'Linux' and 4 * 2 ^ 20 or huge
local MADV_HUGEPAGE, PAGE = 14, 4096

-- glibc's malloc returns memory to the system, page by page, once some 256 KB are free: each load of an image, and many
-- a call of NumPy, would reallocate it. This lets the process keep twice the largest block that was freed.
local FREED_BYTES = 16 * 2 ^ 20
libc.t7_free(libc.t7_malloc(FREED_BYTES))

local double_p, char_p = ffi.typeof 'double *', ffi.typeof 'char *'

-- Lists of blocks by size and kind, each with its `count`, since the operator # searches for the end of a list; and the
-- collection in which one of them was last freed.
local lists, freed_at, cached_bytes, turn = {}, {}, 0, 0

local function key_of(bytes, kind) return bytes * KINDS + kind end

local function drop_list(key)
   local list = lists[key]
   lists[key] = nil
   freed_at[key] = nil
   cached_bytes = cached_bytes - list.count * floor(key / KINDS)
   for i = 1, list.count do libc.t7_free(cast(char_p, list[i])) end
end

function cache.drop()
   while next(lists) do drop_list((next(lists))) end
end

-- Counts a collection: blocks of sizes that were not freed for long are dropped.
function cache.next_turn() turn = turn + 1 end

local function evict(bytes)
   while cached_bytes + bytes > CACHED_BYTES do
      local oldest, at = nil, huge
      for key in next, lists do
         local freed = freed_at[key] or 0
         if freed < at then oldest, at = key, freed end
      end
      -- Ctrl-C prevented a block from being counted.
      if not oldest then cached_bytes = 0 break end
      drop_list(oldest)
   end
end

-- The bytes of a block.
function cache.bytes(base) return cast(double_p, base)[0] end

function cache.release(base)
   local fields = cast(double_p, base)
   local bytes = fields[0]
   if bytes > CACHED_BYTES then
      libc.t7_free(cast(char_p, base))
      return
   end
   if cached_bytes + bytes > CACHED_BYTES then evict(bytes) end
   local key = key_of(bytes, fields[1])
   local list = lists[key]
   if not list then
      list = { count = 0 }
      lists[key] = list
   end
   local count = list.count + 1
   list[count] = base
   list.count = count
   cached_bytes, freed_at[key] = cached_bytes + bytes, turn
end

-- Blocks returned by finalizers of cdata, in the middle of any code that the collector interrupted.
local doomed = {}

function cache.doom(base) doomed[#doomed + 1] = base end

function cache.release_doomed()
   for i = #doomed, 1, -1 do
      local base = doomed[i]
      doomed[i] = nil
      cache.release(base)
   end
end

local function prefer_huge_pages(base, bytes)
   local before = (PAGE - tonumber(cast('intptr_t', base)) % PAGE) % PAGE
   local length = bytes - before
   libc.t7_madvise(base + before, length - length % PAGE, MADV_HUGEPAGE)
end

-- Rounds a size in bytes up to one that other tensors are likely to ask for again.
function cache.rounded(bytes)
   local unit = bytes <= 4096 and 256 or bytes <= 65536 and 1024 or 4096
   local over = bytes % unit
   return over == 0 and bytes or bytes - over + unit
end

-- Allocates a block of a rounded size for a type: base as a number and address of its data; nil if out of memory.
function cache.block(bytes, T)
   local kind = kind_of[T.name] or 0
   local list, base = lists[key_of(bytes, kind)]
   local count = list and list.count or 0
   if count > 0 then
      local number = list[count]
      list.count = count - 1
      cached_bytes = cached_bytes - bytes
      base = cast(char_p, number)
   else
      base = cast(char_p, libc.t7_calloc(1, bytes + HEADER))
      if cast('intptr_t', base) == 0 then return nil end
      local fields = cast(double_p, base)
      fields[0], fields[1] = bytes, kind
      if bytes >= HUGE_BYTES then prefer_huge_pages(base, bytes) end
   end
   local number = tonumber(cast('intptr_t', base))
   return number, base + FIELDS + (ALIGNMENT - (number + FIELDS) % ALIGNMENT) % ALIGNMENT
end

return cache

-- Memory: what tensors and storages share, and who owns it. An owner is a cdata with a header: a tensor or a
-- memory object. Small memory lives in the LuaJIT heap, inside the owner. Large memory is a block of malloc, freed
-- after the collector took the owner: a new tensor holds its block alone, so that a temporary needs one collection,
-- and hands it to a memory object when a second tensor or a storage is to look at it. Memory of
-- others (NumPy, mapped files) is kept alive by a keeper.
--
-- The capacity of a memory never shrinks, and its old block is kept while somebody may still look at it.
-- Every tensor fits into its memory when it is set, so no later resize can leave it with a wild pointer.

local collectgarbage, getmetatable, newproxy, next = collectgarbage, getmetatable, newproxy, next
local rawset, setmetatable, tonumber, type = rawset, setmetatable, tonumber, type
local ffi = require 'ffi'
local errors, finalizers = require 'torch.core.errors', require 'torch.memory.finalizers'
local host = require 'torch.core.host'
local careful = finalizers.careful
local C = require 'torch.core.cdef'
local cast, copy, gc, fill, istype = ffi.cast, ffi.copy, ffi.gc, ffi.fill, ffi.istype
local clock = os.clock
local floor, huge, max, min = math.floor, math.huge, math.max, math.min

local memory = {}

-- Above this many bytes a block of malloc's is cheaper than zeroed memory that counts for the collector.
local INLINE_BYTES = 2048
-- Up to this many bytes the memory of tensors and storages that a program makes by their sizes is zero, as it mostly
-- was for those who wrote documents; zeroing larger memory would double the time of filling it.
local ZEROED_BYTES = 4096
memory.INLINE_BYTES, memory.ZEROED_BYTES = INLINE_BYTES, ZEROED_BYTES
-- Blocks are aligned for the widest vector loads; their header, two doubles, keeps the size and the kind.
local ALIGNMENT, HEADER, FIELDS = 64, 128, 16
-- A block that held whole numbers is not used for fractions, nor one of doubles for floats: what it holds might be no
-- number to LuaJIT, see nan.lua. So blocks are kept by their kind as well; new ones are zero.
local KINDS = 16
local kind_of = { Double = 1, Float = 2, Half = 3 }
-- Freed blocks are kept for the next tensor of that size: fresh pages cost more than a copy, and malloc takes
-- microseconds after thousands of calls of free.
local CACHED_BYTES = 128 * 2 ^ 20
-- What malloc owns is invisible to Lua's collector, so it is driven by bytes: after a budget of allocations it
-- runs. A small budget lets blocks be reused while the caches still hold them; a large one is for programs whose
-- Lua objects take long to collect. Memory dies one cycle after the tensors that looked at it, so garbage is
-- bounded by twice the budget.
local LEAST_BUDGET, MOST_BUDGET, BYTES_PER_SECOND = 48 * 2 ^ 20, 192 * 2 ^ 20, 12e9
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

-- Tensors come and go too fast for finalizers and for weak tables with keys. One that looks at the memory of another
-- owner, and an owner that has a block, has a place, `_anchor`, in two lists: `holders` holds it weakly, `held` holds
-- the owner, or the base of the block as a number. `_anchor` is 0 for whoever has no place. After collections, and
-- when no place is free, the blocks of the dead are freed and their places become free; `free` lists them from 1 on,
-- and free[0] is their number. What is free or not yet used is false, what was collected is nil.
--
-- Ctrl-C raises an error between any two instructions that are interpreted. So what is given up is forgotten before
-- it is freed, and what is taken is noted before it is used: at worst a block is lost, none is freed twice. The same
-- order serves debug hooks of programs, which may use tensors.
local LEAST_ROOM = 4096
local integers_ct = ffi.typeof 'int32_t[?]'
local holders, held, room = setmetatable({}, { __mode = 'v' }), {}, LEAST_ROOM
local free = integers_ct(room + 1)

local double_p = ffi.typeof 'double *'
-- The headers of all types have the same layout.
local header_p = ffi.typeof 't7_DoubleHeader *'
local char_p = ffi.typeof 'char *'
local HEADER_BYTES = ffi.sizeof 't7_DoubleHeader'
memory.HEADER_BYTES = HEADER_BYTES
local debt, budget, collections = 0, LEAST_BUDGET, 0
-- Whether the state comes to its end, see first_end: what nobody refers to must stay then, for a finalizer may use it.
local ending = false

-- Lists of blocks by size and kind, and how many collections there had been when one of them was last freed.
local cache, freed_at, cached_bytes = {}, {}, 0

-- A step of this many kilobytes ends a cycle of the collector. A full collection would sweep all objects twice.
local CYCLE = 2 ^ 20

local function key_of(bytes, kind) return bytes * KINDS + kind end

-- Gives back the cached blocks of a size and kind.
local function drop_list(key)
   local list = cache[key]
   cache[key] = nil
   freed_at[key] = nil
   cached_bytes = cached_bytes - #list * floor(key / KINDS)
   for i = 1, #list do C.t7_free(cast(char_p, list[i])) end
end

local function drop_cache()
   while next(cache) do drop_list((next(cache))) end
end

-- A program has moved on from sizes that were not freed for long: their blocks make room for others.
local function make_room(bytes)
   while cached_bytes + bytes > CACHED_BYTES do
      local oldest, at = nil, huge
      for key in next, cache do
         local collection = freed_at[key] or 0
         if collection < at then oldest, at = key, collection end
      end
      -- What Ctrl-C kept from being counted.
      if not oldest then cached_bytes = 0 break end
      drop_list(oldest)
   end
end

-- A block goes by the number of its base address.
local function release_block(base)
   local fields = cast(double_p, base)
   local bytes = fields[0]
   if bytes > CACHED_BYTES then
      C.t7_free(cast(char_p, base))
      return
   end
   if cached_bytes + bytes > CACHED_BYTES then make_room(bytes) end
   local key = key_of(bytes, fields[1])
   local list = cache[key]
   if not list then
      list = {}
      cache[key] = list
   end
   list[#list + 1] = base
   cached_bytes, freed_at[key] = cached_bytes + bytes, collections
end

-- Fewer and larger pages: less to set up when memory is first touched, and when the process is forked.
local HUGE_BYTES = ffi.os == 'Linux' and 4 * 2 ^ 20 or huge
local MADV_HUGEPAGE, PAGE = 14, 4096

local function prefer_huge_pages(base, bytes)
   local before = (PAGE - tonumber(cast('intptr_t', base)) % PAGE) % PAGE
   local length = bytes - before
   C.t7_madvise(base + before, length - length % PAGE, MADV_HUGEPAGE)
end

-- Blocks come in sizes that others are likely to ask for again.
local function rounded(bytes)
   local unit = bytes <= 4096 and 256 or bytes <= 65536 and 1024 or 4096
   local over = bytes % unit
   return over == 0 and bytes or bytes - over + unit
end

-- A block of at least `wanted` bytes for a type: the number of its base and the address of its data.
local function new_block(wanted, T)
   if not (wanted < MOST_BYTES) then errors.raise('not enough memory: %.0f bytes asked for', wanted) end
   local bytes = rounded(wanted)
   debt = debt + bytes
   if debt > budget and not ending then
      debt, collections = 0, collections + 1
      local start = clock()
      collectgarbage('step', CYCLE)
      -- The time of freeing does not count: it grows with the garbage, and the garbage with the budget.
      budget = min(max((clock() - start) * BYTES_PER_SECOND, LEAST_BUDGET), MOST_BUDGET)
      memory.close_places()
   end
   local kind = kind_of[T.name] or 0
   local list, base = cache[key_of(bytes, kind)]
   local count = list and #list or 0
   if count > 0 then
      local number = list[count]
      list[count] = nil
      cached_bytes = cached_bytes - bytes
      base = cast(char_p, number)
   else
      base = cast(char_p, C.t7_calloc(1, bytes + HEADER))
      if cast('intptr_t', base) == 0 then
         drop_cache()
         memory.collectgarbage()
         drop_cache()
         base = cast(char_p, C.t7_calloc(1, bytes + HEADER))
         if cast('intptr_t', base) == 0 then errors.raise('not enough memory: %.0f bytes asked for', wanted) end
      end
      local fields = cast(double_p, base)
      fields[0], fields[1] = bytes, kind
      if bytes >= HUGE_BYTES then prefer_huge_pages(base, bytes) end
   end
   local number = tonumber(cast('intptr_t', base))
   local data = base + FIELDS + (ALIGNMENT - (number + FIELDS) % ALIGNMENT) % ALIGNMENT
   return number, data
end

local function list_free(place)
   local count = free[0] + 1
   free[count] = place
   free[0] = count
end

local function add_places(first, last)
   for k = first, last do holders[k], held[k] = false, false end
   for k = last, first, -1 do list_free(k) end
end
add_places(1, LEAST_ROOM)

-- Shorter lists for places up to `last`, behind which none is taken.
local function cut_places(last)
   local new_holders, new_held = setmetatable({}, { __mode = 'v' }), {}
   for k = 1, last do new_holders[k], new_held[k] = holders[k], held[k] end
   holders = new_holders
   held = new_held
   room = last
end

-- Blocks that Lua's collector gave back.
local doomed = {}

local function release_doomed()
   for i = #doomed, 1, -1 do
      local base = doomed[i]
      doomed[i] = nil
      release_block(base)
   end
end

-- How often the places were closed: a program's debug hook may do it while that is under way.
local closings = 0

-- Lists are cut when they were almost empty after so many collections in turn.
local PATIENCE, sparse = 16, 0

-- Frees the blocks that only the dead held, and lists the free places, the first of them last. The result tells
-- whether owners lost a view: they can be collected now.
function memory.close_places()
   local mine = closings + 1
   closings = mine
   if not ending then release_doomed() end
   free[0] = 0
   local lost, last = false, 0
   for k = 1, room do
      if holders[k] then last = k end
   end
   sparse = room > LEAST_ROOM and last < room / 8 and sparse + 1 or 0
   if sparse > PATIENCE then
      cut_places(max(LEAST_ROOM, 2 * last))
      sparse = 0
   end
   for k = room, 1, -1 do
      if not holders[k] then
         local thing = held[k]
         held[k], holders[k] = false, false
         if type(thing) == 'number' then release_block(thing) elseif thing then lost = true end
         if closings ~= mine then return lost end
         list_free(k)
      end
   end
   if free[0] < room / 2 then
      local before, longer = room, integers_ct(2 * room + 1)
      copy(longer, free, 4 * (free[0] + 1))
      free = longer
      room = 2 * before
      add_places(before + 1, room)
   end
   return lost
end

-- Whether the collector is driven from here, see pace; nil for no more.
local pacing = false

-- At the end of a state LuaJIT finalizes all cdata, whoever refers to them, then all userdata, the oldest last, among
-- them what programs finalize, which may use tensors; what belongs to Python goes as userdata. So the first
-- finalizer leaves memory of others to the oldest functions of Python, and the one of the oldest userdata frees ours.
-- A userdata that were made in between would be finalized after it, and a collection would finalize all within the
-- finalizer that asked for it.
memory.first_end = gc(ffi.new 'char[1]', function()
   ending, pacing = true, nil
   finalizers.finish()
   for _, keeper in next, keepers do
      if type(keeper) == 'userdata' then host.keep(keeper) end
   end
end)

local sentinel = newproxy(true)
getmetatable(sentinel).__gc = function()
   for k = 1, room do
      if type(held[k]) == 'number' then release_block(held[k]) end
   end
   free[0], room = 0, 0
   release_doomed()
   drop_cache()
end
memory.sentinel = sentinel

-- Finalizers of programs, by the FFI and of proxies.
local guarded = setmetatable({}, { __mode = 'kv' })

local function guard(finalizer)
   if not guarded[finalizer] then guarded[finalizer] = careful(finalizer) end
   return guarded[finalizer]
end

function ffi.gc(object, finalizer)
   return gc(object, type(finalizer) == 'function' and guard(finalizer) or finalizer)
end

-- The metatable of a proxy takes its finalizer from here.
local proxies = {}
function proxies.__newindex(metatable, key, value)
   if key == '__gc' and type(value) == 'function' then value = guard(value) end
   rawset(metatable, key, value)
end

function _G.newproxy(kind)
   if ending then errors.raise 'newproxy: the program is at its end' end
   local proxy = newproxy(kind)
   if kind == true then setmetatable(getmetatable(proxy), proxies) end
   return proxy
end

-- Lua's collector begins anew when its heap has doubled. Programs that use tensors make small objects by the million,
-- and most of what is marked then is this library: so the heap may always grow by GROWTH bytes. An object that nobody
-- refers to is finalized at the end of each cycle and tells the pause for the next one.
local GROWTH, DOUBLED = 8 * 2 ^ 20, 200

local function pace(proxy)
   if not pacing then return end
   local heap = collectgarbage 'count' * 1024
   collectgarbage('setpause', max(DOUBLED, floor(100 + 100 * GROWTH / heap)))
   newproxy(proxy)
end

function memory.start_pacing()
   if pacing == nil then return end
   pacing = true
   local proxy = newproxy(true)
   getmetatable(proxy).__gc = pace
   pace(proxy)
   memory.start_pacing = function() end
end

-- Lua's collectgarbage, which collects what only dead views kept alive as well. Who sets a pause is asked no more.
function memory.collectgarbage(option, ...)
   if option ~= 'count' and ending then return 0 end
   if option == 'setpause' then pacing = nil end
   if option ~= nil and option ~= 'collect' then return collectgarbage(option, ...) end
   repeat collectgarbage() until not memory.close_places()
   finalizers.run()
   return 0
end

-- A place for somebody who has none: for a new view and the owner of what it will look at, or an owner and its block.
local function fill_place(holder, thing)
   if free[0] == 0 then memory.close_places() end
   local count = free[0]
   local place = free[count]
   free[0] = count - 1
   held[place] = thing
   holders[place] = holder
   return place
end

local function take_place(holder, thing) holder._anchor = fill_place(holder, thing) end
memory.anchor_view = take_place

-- The tensor, which may have a place and looks at nothing now, is going to look at memory of `owner`, nil for its own
-- or none. A block that it alone looked at goes at once.
function memory.anchor_tensor(t, owner)
   local place = t._anchor
   if place == 0 then
      if owner then take_place(t, owner) end
      return
   end
   local thing = held[place]
   held[place] = owner or false
   if type(thing) == 'number' then
      cast(header_p, t._own)._block = 0
      release_block(thing)
   end
   if not owner then
      t._anchor = 0
      holders[place] = false
      list_free(place)
   end
end

-- Moves the block of a tensor that alone looked at it to an owner of its own, because it is going to be shared.
local function promote(t, T, place)
   local owner = T.memory_ct(0)
   local header = cast(T.header_ct, t._own)
   owner._header = header[0]
   local other = fill_place(t, owner)
   owner._anchor = place
   holders[place] = owner
   t._memory = owner._header
   t._anchor = other
   header._block = 0
   return owner
end

-- The owner of what `t` looks at, which from now on somebody else may look at too.
function memory.shared_owner(t, T)
   local place = t._anchor
   if place == 0 then return t end
   local owner = held[place]
   return type(owner) == 'number' and promote(t, T, place) or owner
end

-- The owner of what `t` looks at, for its memory to be resized.
function memory.owner(t)
   local owner = t._anchor > 0 and held[t._anchor]
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
   take_place(t, fill_header(header, T, count))
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
      take_place(owner, fill_header(owner._header, T, count))
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

-- Whether two headers, for elements of so many bytes, have bytes in common.
function memory.overlap(a, a_size, b, b_size)
   local first, second = tonumber(cast('intptr_t', a._data)), tonumber(cast('intptr_t', b._data))
   return first < second + b._capacity * b_size and second < first + a._capacity * a_size
end

-- From now on the block must outlive its growth: a pointer to it was given away.
function memory.expose(header)
   if header._flags == OWN then header._flags = EXPOSED end
end

-- Finalizers of blocks without a place.
local function doom(base) doomed[#doomed + 1] = base end
local function release_grown(t) doom(cast(header_p, t._own)._block) end
local function release_retired(pointer) doom(tonumber(cast('intptr_t', pointer))) end

-- Who frees the block that an owner grew into: its place; or, for a small tensor that owned its elements and may
-- use its place to look at another owner, a finalizer.
local function hold_grown(owner, is_memory, base, old)
   local place = owner._anchor
   if place > 0 and (is_memory or type(held[place]) == 'number') then
      held[place] = base
   elseif is_memory then
      take_place(owner, base)
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

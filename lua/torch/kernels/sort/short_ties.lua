-- Tie-breaking in short rows: the order of tie_order.lua, on 32-bit integers and branch-free; in chunks.

local ffi = require 'ffi'
local libc = require 'torch.native.libc'
local exchanges, tie_order = require 'torch.kernels.sort.exchanges', require 'torch.kernels.sort.tie_order'
local loop_type, template = require 'torch.native.loop_type', require 'torch.jit.template'
local scratch, types = require 'torch.base.scratch', require 'torch.base.types'
local cast, floor, max, min, tonumber = ffi.cast, math.floor, math.max, math.min, tonumber
local bor, lshift = bit.bor, bit.lshift
local _, partition_all = exchanges.make(32)

local short_ties = {}

-- Ranks have 15 bits, indices 16.
short_ties.LONGEST = 2 ^ 15

-- Rows of this total length are compared together.
local CHUNK = 2 ^ 15
local args, dims, steps = ffi.new 'char *[3]', ffi.new('intptr_t[1]'), ffi.new 'intptr_t[3]'
local byte_p = ffi.typeof 'uint8_t *'

-- Rows of a type: sorted from x into v, with their indices p and a direction; NumPy's loop that compares them.
ffi.cdef [[
typedef struct { char *x, *v; int64_t *p; double n; int32_t type, descending; void *unequal, *data; } t7_ties;
]]
short_ties.ct = ffi.typeof 't7_ties'
local pointer_ct = ffi.typeof 't7_ties *'

-- Scratch for a chunk, and for rows of `n` elements.
local reserve, give_back = scratch(function(n)
   n = max(n, 1024)
   return { count = n, unequal = ffi.new('uint8_t[?]', CHUNK), x = ffi.new('int32_t[?]', n),
      equal = ffi.new('int32_t[?]', n), start = ffi.new('int32_t[?]', n + 1) }
end)

-- Ranks the elements with the indices p from 0, incremented where an element differs from its predecessor. equal[k] is
-- the number of sorted elements up to k that equal their predecessor; rank r starts at start[r].
local function rank(p, unequal, n, x, equal, start)
   local index, r = tonumber(p[0]) - 1, 0
   x[index], equal[0], start[0], start[1] = index, 0, 0, 1
   for k = 1, n - 1 do
      index, r = tonumber(p[k]) - 1, r + unequal[k]
      x[index] = bor(lshift(r, 16), index)
      equal[k], start[r + 1] = k - r, k + 1
   end
end

local list_source = [[
-- Lists the elements of a row by rank, in the order of x.
local function list(row, v, p, n, x, start)
   for i = 0, n - 1 do
      local r, index = rshift(x[i], 16), band(x[i], 0xffff)
      local k = start[r]
      v[k], p[k], start[r] = row[index], index + 1, k + 1
   end
end

-- Whether the sorted row v has more than one nan, at its end or, descending, at its beginning.
local function has_nans(v, n, descending)
   local i = descending == 1 and 1 or n - 2
   return v[i] ~= v[i]
end
return list, has_nans]]

local tools = {}

local function tools_of(T)
   if not tools[T] then
      local list, has_nans = template.compile('short ties ' .. T.name, list_source, nil,
         { band = bit.band, rshift = bit.rshift })
      tools[T] = { list = list, has_nans = not T.integer and has_nans }
   end
   return tools[T]
end

-- Rows with equal nans are handled element by element.
local function settle_nans(T, row, v, p, n, count, has_nans, descending)
   for at = 0, count - 1, n do
      if has_nans(v + at, n, descending) then tie_order.settle_row(T, row + at, v + at, p + at, n) end
   end
end

local function settle_rows(q, T, room, from, to)
   local n = q.n
   local own, count = tools_of(T), (to - from) * n
   local row, v, p = cast(T.pointer_ct, q.x) + from * n, cast(T.pointer_ct, q.v) + from * n, q.p + from * n
   local has_nans, unequal, x, equal, start = own.has_nans, room.unequal, room.x, room.equal, room.start
   if has_nans then settle_nans(T, row, v, p, n, count, has_nans, q.descending) end
   args[0], args[1], args[2] = cast('char *', v + 1), cast('char *', v), cast('char *', unequal + 1)
   dims[0], steps[0], steps[1], steps[2] = count - 1, T.size, T.size, 1
   cast(loop_type, q.unequal)(args, dims, steps, q.data)
   local k = 1
   while k < count do
      local hit = cast(byte_p, libc.t7_memchr(unequal + k, 0, count - k))
      if hit == nil then return end
      k = hit - cast(byte_p, unequal)
      -- The last element of a row may equal the first one of the next.
      if k % n > 0 then
         local at = k - k % n
         if not (has_nans and has_nans(v + at, n, q.descending)) then
            rank(p + at, unequal + at, n, x, equal, start)
            partition_all(x, equal, 0, n - 1)
            own.list(row + at, v + at, p + at, n, x, start)
         end
         k = at + n
      end
      k = k + 1
   end
end

function short_ties.settle(data, from, to)
   local q = cast(pointer_ct, data)
   local room, chunk = reserve(q.n), max(1, floor(CHUNK / q.n))
   for first = from, to - 1, chunk do
      settle_rows(q, types.rows[q.type], room, first, min(first + chunk, to))
   end
   give_back(room)
end

return short_ties

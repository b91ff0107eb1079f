-- Sorting rows by NumPy's sort of 64-bit integers, faster than its argsort: each element becomes an integer of the
-- same order, with the index in its lowest bits. Elements of up to 32 bits fit whole. Others lose their lowest bits,
-- and a row with elements that differ only there is sorted again; bits that all elements have in common are dropped.

local ffi = require 'ffi'
local host, buffers, native = require 'torch.native.host', require 'torch.memory.buffers', require 'torch.native.native'
local library = require 'torch.native.kernels' 'reduce/extremes'
local scratch, template = require 'torch.base.scratch', require 'torch.jit.template'
local Long = require('torch.base.types').by_name.Long
local max = math.max

local sort_keys = {}

local puns = { Double = ffi.new 'union { double f; int64_t i; }', Float = ffi.new 'union { float f; int32_t i; }' }

local pack_source = [[
return function(x, keys, pun, rows, n, unit, least, lost, bits)
   for row = 0, rows - 1 do
      for i = 0, n - 1 do
$key
         keys[i] = $packed
      end
      x, keys = x + n, keys + n
   end
end]]

-- Source that gives x[i] an order-preserving key, nan last: 64 bits for doubles, 32 for floats.
local key_of = {
   Double = [[
      local key = 0x7fffffffffffffffLL
      if x[i] == x[i] then
         pun.f = x[i] + 0
         key = pun.i
         key = bxor(key, band(arshift(key, 63), 0x7fffffffffffffffLL))
      end]],
   Float = [[
      local key = 0x7fffffff
      if x[i] == x[i] then
         pun.f = x[i] + 0
         key = pun.i
         key = bxor(key, band(arshift(key, 31), 0x7fffffff))
      end]],
}

-- Other elements are their own keys. The text reads and writes `pun`, the second result.
function sort_keys.key_of(T)
   return key_of[T.name] or '      local key = x[i]', puns[T.name]
end

-- Writes sorted elements and indices from row `from` on; returns the first row that is not in order.
local unpack_source = [[
return function(x, low, v, p, from, rows, n, mask)
   for row = from, rows - 1 do
      local base = row * n
      local last, sorted = x[base + band(low[2 * base], mask)], true
      for i = base, base + n - 1 do
         local at = band(low[2 * i], mask)
         local value = x[base + at]
         v[i], p[i] = value, at + 1
$check
      end
      if not sorted then return row end
   end
end]]

-- Writes the indices of rank k of partitioned rows. Of equal elements the greatest of lower ranks, or the least of
-- higher ones, is one.
local rank_source = [[
return function(keys, p, rows, n, k, bits)
   for row = 0, rows - 1 do
      local x = keys + row * n
      local key = x[k]
      local value = arshift(key, bits)
      local single = (k == 0 or arshift(greatest(x, 1, k), bits) ~= value)
         and (k == n - 1 or arshift(least(x + k + 1, 1, n - 1 - k), bits) ~= value)
      p[row] = single and key - lshift(value, bits) + 1 or 0
   end
end]]

-- Keys of 64 bits have a span: of all numbers, of those in a bucket, or of Longs in use.
local function has_span(T) return T.size == 8 end

local span_source = [[
return function(x, count)
   local low, high = x[0], x[0]
   for i = 1, count - 1 do
      if x[i] < low then low = x[i] end
      if x[i] > high then high = x[i] end
   end
   return low, high
end]]

function sort_keys.make(name, T, descending)
   local key = descending and 'bnot(key)' or 'key'
   local pack = template.compile(name, pack_source, { key = (sort_keys.key_of(T)),
      packed = has_span(T) and 'bor(lshift(arshift(' .. key .. ' - least, lost), bits), i)' or key .. ' * unit + i' },
      { arshift = bit.arshift, band = bit.band, bnot = bit.bnot, bor = bit.bor, bxor = bit.bxor, lshift = bit.lshift })
   local check = has_span(T)
      and ('      if value %s last then sorted = false end\n      last = value'):format(descending and '>' or '<') or ''
   return { pack = pack, unpack = template.compile(name, unpack_source, { check = check }, { band = bit.band }),
      ranks = template.compile(name, rank_source, nil, { arshift = bit.arshift, lshift = bit.lshift,
         greatest = function(x, _, n) return library.t7_extreme_long(1, x, n) end,
         least = function(x, _, n) return library.t7_extreme_long(0, x, n) end }),
      span = T.name == 'Long' and template.compile(name, span_source), descending = descending }
end

-- The least key of `count` Longs, and how many bits their keys need beyond it.
local function span_of(kernels, x, count)
   local low, high = kernels.span(x, count)
   local width, bits = high - low, 0
   if width < 0 then return ffi.new 'int64_t', 64 end
   while width > 0 do width, bits = bit.rshift(width, 1), bits + 1 end
   return kernels.descending and bit.bnot(high) or low, bits
end

-- Keys for this number of elements are sorted in one call, so that they fit the L2 cache.
local CHUNK = 32768
-- Indices of longer rows leave no bits for the elements. Keys of longer rows of doubles lose so many bits that some of
-- a million normally distributed numbers could not be distinguished.
function sort_keys.longest(T) return has_span(T) and 2 ^ 18 or 2 ^ 20 end

local int64_p, int32_p = ffi.typeof 'int64_t *', ffi.typeof 'int32_t *'

-- Memory for `count` keys: a record of the count, a pointer to `keys` in memory of `owner`, and the sort function.
local reserve, give_back = scratch(function(count)
   count = max(count, CHUNK)
   local owner = buffers.new(Long, count)
   local keys = ffi.cast(int64_p, owner._header._data)
   return { count = count, keys = keys, owner = owner, sort = host.key_sorter(native.address_of(keys), count) }
end)

-- Makes the keys of rows x n elements at x, some rows at a time, and calls use(room, first row, rows, bits) for them;
-- the lowest `bits` of a key are the index. Keys of 64 bits may be known to be in `least` + 2^width.
local function with_keys(kernels, T, x, rows, n, use, least, width)
   local bits = 1
   while 2 ^ bits < n do bits = bits + 1 end
   if not least and T.name == 'Long' then least, width = span_of(kernels, x, rows * n) end
   local lost = width and width < 64 and max(0, width + bits - 63) or bits
   local chunk = n < CHUNK and (CHUNK - CHUNK % n) / n or 1
   local room = reserve(chunk * n)
   for start = 0, rows - 1, chunk do
      local count = rows - start < chunk and rows - start or chunk
      kernels.pack(x + start * n, room.keys, puns[T.name], count, n, 2 ^ bits, least or 0LL, lost, bits)
      use(room, start, count, bits)
   end
   give_back(room)
end

-- Writes the index, from 1, of the element of rank k, from 0, of each of rows x n elements at x; 0 where the keys of
-- several elements differ in their indices alone.
function sort_keys.places(kernels, T, x, rows, n, k, p)
   with_keys(kernels, T, x, rows, n, function(room, start, count, bits)
      room.sort(count, n, k)
      kernels.ranks(room.keys, p + start, count, n, k, bits)
   end)
end

-- Sorts rows x n elements at x into v, with indices p; `least` and `width` as above.
function sort_keys.sort(kernels, T, x, v, p, rows, n, down, least, width)
   local take = kernels.unpack
   with_keys(kernels, T, x, rows, n, function(room, start, count, bits)
      local low, unit = ffi.cast(int32_p, room.keys), 2 ^ bits
      local x_at, v_at, p_at = x + start * n, v + start * n, p + start * n
      room.sort(count, n)
      local wrong = take(x_at, low, v_at, p_at, 0, count, n, unit - 1)
      while wrong do
         ffi.copy(v_at + wrong * n, x_at + wrong * n, n * T.size)
         host.sort(native.address_of(v_at + wrong * n), native.address_of(p_at + wrong * n), T.dtype, 1, n, down)
         wrong = take(x_at, low, v_at, p_at, wrong + 1, count, n, unit - 1)
      end
   end, least, width)
end

return sort_keys

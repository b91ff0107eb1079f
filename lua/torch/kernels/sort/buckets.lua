-- Bucket sort for rows too long for a single sort of keys (sort_keys.lua): elements go to buckets by the leading bits
-- of their keys; each bucket is sorted or divided again. See docs/decisions/0008-sorting-long-rows.md.

local require, tonumber = require, tonumber
local ffi = require 'ffi'
local sort_keys, buffers = require 'torch.kernels.sort.sort_keys', require 'torch.memory.buffers'
local template, types = require 'torch.jit.template', require 'torch.base.types'
local Long = types.by_name.Long

local buckets = {}

-- Between 2^BITS and twice as many buckets are made.
local BITS = 12
local ends = ffi.new('double[?]', 2 ^ (BITS + 1) + 1)
local span = ffi.new 'int64_t[2]'

local source = [[
local arshift, band, bnot, bxor, rshift = bit.arshift, bit.band, bit.bnot, bit.bxor, bit.rshift
local function find_span(x, n)
   span[0], span[1] = 0x7fffffffffffffffLL, -0x7fffffffffffffffLL - 1
   for i = 0, n - 1 do
$key
      if key < span[0] then span[0] = key end
      if key > span[1] then span[1] = key end
   end
end
local function count(x, n, least, shift)
   for i = 0, n - 1 do
$key
      local bucket = rshift(key - least, shift)
      ends[bucket] = ends[bucket] + 1
   end
end
local function deal(x, indices, n, least, shift, to, to_indices)
   for i = 0, n - 1 do
$key
      local bucket = rshift(key - least, shift)
      local at = ends[bucket]
      ends[bucket] = at + 1
      to[at], to_indices[at] = x[i], indices[i]
   end
end
return find_span, count, deal]]

local function translate(p, indices, n)
   for i = 0, n - 1 do p[i] = indices[tonumber(p[i]) - 1] end
end

local function number(indices, n)
   for i = 0, n - 1 do indices[i] = i + 1 end
end

-- sort(x, v, p, n): the n elements at x into v, with their indices p.
function buckets.make(name, T, descending)
   local key, pun = sort_keys.key_of(T)
   -- Shorter keys are extended to 64 bits, so that all differences are representable.
   key = ('%s\n      key = %s(int64(key))'):format(key, descending and 'bnot' or '')
   local find_span, count, deal = template.compile(name, source, { key = key },
      { bit = bit, int64 = ffi.typeof 'int64_t', pun = pun, span = span, ends = ends })

   local kernels, longest, sort = sort_keys.make(name, T, descending), sort_keys.longest(T), nil

   -- Sorts elements with their `indices`, whose keys are at least `first` and need `width` bits beyond it.
   local function sort_some(x, indices, v, p, n, first, width)
      if n > longest then return sort(x, indices, v, p, n) end
      if n > 1 then
         sort_keys.sort(kernels, T, x, v, p, 1, n, descending, first, width)
      else
         v[0], p[0] = x[0], 1
      end
      translate(p, indices, n)
   end

   sort = function(x, indices, v, p, n)
      find_span(x, n)
      local least, width = span[0], span[1] - span[0]
      if width == 0 then
         ffi.copy(v, x, n * T.size)
         ffi.copy(p, indices, n * Long.size)
         return
      end
      local shift = 0
      while bit.rshift(width, shift) >= 2 ^ (BITS + 1) or bit.rshift(width, shift) < 0 do shift = shift + 1 end
      local used = tonumber(bit.rshift(width, shift)) + 1
      ffi.fill(ends, (used + 1) * 8)
      count(x, n, least, shift)
      local at = 0
      for k = 0, used - 1 do ends[k], at = at, at + ends[k] end
      local dealt, dealt_indices = T.new_vector(n), Long.new_vector(n)
      local to, to_indices = dealt._memory._data, dealt_indices._memory._data
      deal(x, indices, n, least, shift, to, to_indices)
      -- A bucket now ends where the next one starts; dividing a bucket reuses the list.
      local last = ffi.new('double[?]', used)
      ffi.copy(last, ends, used * 8)
      local from = 0
      for k = 0, used - 1 do
         local size = last[k] - from
         if size > 0 then
            local first = least + bit.lshift(ffi.cast('int64_t', k), shift)
            sort_some(to + from, to_indices + from, v + from, p + from, size, first, shift)
         end
         from = last[k]
      end
      buffers.alive(dealt, dealt_indices)
   end

   return function(x, v, p, n)
      local indices = Long.new_vector(n)
      number(indices._memory._data, n)
      sort(x, indices._memory._data, v, p, n)
      buffers.alive(indices)
   end
end

return buckets

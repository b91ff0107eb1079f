-- Kernels that pick elements by masks: ByteTensors of 0 and 1 with the same number of elements. The loops do not
-- branch on the mask, which is hard to predict: to move an element that is overwritten costs less.

local rawequal, require, tonumber = rawequal, require, tonumber
local ffi = require 'ffi'
local template = require 'torch.jit.template'
local element = require 'torch.base.element'
local broadcast, errors = require 'torch.tensor.broadcast', require 'torch.base.errors'
local geometry, native = require 'torch.base.geometry', require 'torch.native.native'
local buffers, types = require 'torch.memory.buffers', require 'torch.base.types'
local tuning = require 'torch.base.tuning'
local count_of, shape, contiguous = geometry.count, geometry.shape, geometry.contiguous
local alive = buffers.alive
local cast = ffi.cast
local floor, max, min = math.floor, math.max, math.min
local int64 = ffi.typeof 'int64_t'
local Byte, Long = types.by_name.Byte, types.by_name.Long

local masked = {}

-- Words that can be added byte by byte before a byte overflows.
local BATCH = 255

-- The number of ones among the bytes first..last, and the largest byte.
local function count_bytes(bytes, first, last)
   local ones, most = 0, 0
   for k = first, last do
      ones = ones + bytes[k]
      most = max(most, bytes[k])
   end
   return ones, most
end

local add_words, largest = nil, nil
local sum, most_at = ffi.new 'uint64_t[1]', ffi.new 'uint8_t[1]'
local lanes = cast('uint8_t *', sum)

local function count_words(bytes, n)
   if not add_words then
      add_words = native.loop_alone('add', 'uint64', 'uint64', 'uint64')
      largest = native.loop_alone('maximum', Byte, Byte, Byte)
   end
   most_at[0] = 0
   largest(most_at, 0, bytes, 1, most_at, 0, n)
   local words, ones = (n - n % 8) / 8, 0
   for i = 0, words - 1, BATCH do
      sum[0] = 0
      add_words(sum, 0, bytes + 8 * i, 8, sum, 0, min(BATCH, words - i))
      ones = ones + lanes[0] + lanes[1] + lanes[2] + lanes[3] + lanes[4] + lanes[5] + lanes[6] + lanes[7]
   end
   return ones + count_bytes(bytes, 8 * words, n - 1), most_at[0]
end

local FEW = tuning.MASK_FEW

local function count_ones(name, bytes, n)
   local ones, most
   if n <= FEW then
      ones, most = count_bytes(bytes, 0, n - 1)
   else
      ones, most = count_words(bytes, n)
   end
   if most > 1 then errors.raise('%s: the mask must hold 0 and 1 only (got other values)', name) end
   return ones
end

-- The mask as bytes in order and the number of ones, checked against t, `what` in messages, before `target` is
-- written.
local function mask_of(name, t, bytes, what, target)
   local n = count_of(t)
   if count_of(bytes) ~= n then
      errors.raise('%s: inconsistent tensor sizes: %s [%s] of %.0f elements and mask [%s] of %.0f%s', name, what,
         shape(t), n, shape(bytes), count_of(bytes), broadcast.hint(what == 'tensor' and t or nil, t, bytes))
   end
   if n == 0 then return bytes, 0 end
   bytes = Byte.steady(bytes, target)
   return bytes, count_ones(name, bytes._memory._data + bytes._offset, n)
end

-- Loops made per type, so that each compiles on its own.
local function per_type(source)
   return function(name, T)
      local bits, settle = element.mover(T)
      return template.compile(name, source, nil,
         { tobit = bit.tobit, band = bit.band, bxor = bit.bxor, min = min, bits = bits, settle = settle,
            whole = T.size == 8 and int64 or bit.tobit })
   end
end

-- Positions are 32-bit integers, which loops add faster than doubles: longer runs are cut.
local RUN = 2 ^ 30

-- Writes one element after the last selected one.
local gather_loop = per_type [[
local function gather(to, from, mask, count)
   local at, most = 0, count - count % 4
   for k = 0, most - 1, 4 do
      to[at] = from[k]
      at = tobit(at + mask[k])
      to[at] = from[k + 1]
      at = tobit(at + mask[k + 1])
      to[at] = from[k + 2]
      at = tobit(at + mask[k + 2])
      to[at] = from[k + 3]
      at = tobit(at + mask[k + 3])
   end
   for k = most, count - 1 do
      to[at] = from[k]
      at = tobit(at + mask[k])
   end
   return at
end

local function long(to, from, mask, count, RUN)
   for first = 0, count - 1, RUN do
      local rest = count - first
      to = to + gather(to, from + first, mask + first, rest < RUN and rest or RUN)
   end
end

return function(to, from, mask, count, RUN)
   to, from = bits(to), bits(from)
   if count > RUN then long(to, from, mask, count, RUN) else gather(to, from, mask, count) end
   settle(to)
end]]

-- Of `ones` elements at `from` the last is read again behind it.
local spread_loop = per_type [[
local function spread(to, from, mask, count, last)
   local at = 0
   for k = 0, count - 1 do
      local a, b, one = from[min(at, last)], to[k], mask[k]
      to[k] = bxor(b, band(bxor(a, b), whole(-one)))
      at = tobit(at + one)
   end
   return at
end

return function(to, from, mask, count, ones, RUN)
   to, from = bits(to), bits(from)
   for first = 0, count - 1, RUN do
      local done = spread(to + first, from, mask + first, min(count - first, RUN), min(ones, RUN) - 1)
      from, ones = from + done, ones - done
      if ones == 0 then break end
   end
   settle(to)
end]]

local fill_loop = per_type [[
return function(to, value, mask, count)
   to, value = bits(to), bits(value)
   local a = value[0]
   for k = 0, count - 1 do
      local b = to[k]
      to[k] = bxor(b, band(bxor(a, b), whole(-mask[k])))
   end
   settle(to)
end]]

function masked.select(name, T)
   local gather = gather_loop(name, T)
   return function(r, t, bytes)
      local ones
      bytes, ones = mask_of(name, t, bytes, 'source')
      local result = T.new_vector(ones, 1)
      if ones > 0 then
         local ordered = T.contiguous(t)
         gather(result._memory._data, ordered._memory._data + ordered._offset, bytes._memory._data + bytes._offset,
            count_of(t), RUN)
         alive(ordered, bytes)
      end
      if not r then return result end
      if T.shares(r, t) or ones == 0 then return T.set_tensor(r, result) end
      return T.result(r, result)
   end
end

-- Returns t after what changed `ordered`, a contiguous tensor of its elements.
local function changed(T, t, ordered)
   if not contiguous(t) then T.copy_from(t, T, ordered) end
   alive(ordered)
   return t
end

function masked.copy(name, T)
   local spread = spread_loop(name, T)
   return function(t, bytes, source)
      local ones
      bytes, ones = mask_of(name, t, bytes, 'tensor', t)
      if count_of(source) < ones then
         errors.raise('%s: source [%s] of %.0f elements is too small for %.0f ones in the mask', name, shape(source),
            count_of(source), ones)
      end
      if ones == 0 then return t end
      source = T.steady(source, t)
      local ordered = T.contiguous(t)
      spread(ordered._memory._data + ordered._offset, source._memory._data + source._offset,
         bytes._memory._data + bytes._offset, count_of(t), ones, RUN)
      alive(source, bytes)
      return changed(T, t, ordered)
   end
end

function masked.fill(name, T)
   local fill, one, set = fill_loop(name, T), ffi.new(T.c .. '[1]'), element.setter(T)
   return function(t, bytes, value)
      local ones
      bytes, ones = mask_of(name, t, bytes, 'tensor', t)
      if ones == 0 then return t end
      set(one, 0, value)
      local ordered = T.contiguous(t)
      fill(ordered._memory._data + ordered._offset, one, bytes._memory._data + bytes._offset, count_of(t))
      alive(bytes)
      return changed(T, t, ordered)
   end
end

-- The positions of elements that are not 0, by flags for a block at a time.
local BLOCK = tuning.INDEX_BLOCK
local find_source = [[
local function add(indices, start, count)
   local at = 0
   for k = 0, count - 1 do
      indices[at] = start + k
      at = tobit(at + flags[k])
   end
   return at
end

return function(indices, data, count)
   local found = 0
   for start = 0, count - 1, BLOCK do
      local n = min(count - start, BLOCK)
      differ(data + start, $size, zero, 0, flags, 1, n)
      found = found + add(indices + found, start, n)
   end
   return found
end]]

-- Writes the index in the last dimension of ascending positions, every `step` elements, and leaves their rows.
local function split(to, step, from, n, size)
   local row, first, at = 0, 0, 0
   for i = 0, n - 1 do
      local k = tonumber(from[i])
      if k >= first + size then
         row = floor(k / size)
         first = row * size
      end
      to[at], from[i] = k - first + 1, row
      at = at + step
   end
end

-- The indices of elements that are not 0, a row of as many numbers as dimensions for each.
function masked.nonzero(name, T)
   local find = template.compile(name, find_source, { size = T.size }, { tobit = bit.tobit, min = min, BLOCK = BLOCK,
      differ = native.loop_alone('not_equal', T, T, 'bool'), zero = native.buffer(T.c, 1),
      flags = native.buffer('uint8_t', BLOCK) })
   return function(r, t)
      local n, dim, indices = 0, t._dim, nil
      if dim > 0 then
         local ordered = T.contiguous(t)
         -- A position is written before it is known whether its element is 0.
         indices = Long.new_vector(count_of(t) + 1)
         n = find(indices._memory._data, ordered._memory._data + ordered._offset, count_of(t))
         alive(ordered)
      end
      r = r or Long.new_tensor()
      -- The sizes are still needed when r is t and gets others.
      local like = rawequal(r, t) and T.alias(t) or t
      if n == 0 then return Long.tensor_methods.resize(r) end
      Long.resize_to(r, { n, dim })
      local rows = Long.contiguous(r)
      local to, from = rows._memory._data + rows._offset, indices._memory._data
      for d = dim - 1, 0, -1 do
         split(to + d, dim, from, n, like._size[d])
      end
      if not contiguous(r) then Long.copy_from(r, Long, rows) end
      alive(indices, like)
      return r
   end
end

return masked

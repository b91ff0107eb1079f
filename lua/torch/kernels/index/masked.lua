-- Kernels that pick elements by masks: ByteTensors of 0 and 1 with the same number of elements.

local rawequal, require, tonumber = rawequal, require, tonumber
local ffi = require 'ffi'
local broadcast, errors = require 'torch.tensor.broadcast', require 'torch.base.errors'
local element, geometry = require 'torch.loops.element', require 'torch.base.geometry'
local kernels, types = require 'torch.native.kernels' 'index/index', require 'torch.base.types'
local keep_alive, strided_iterator = require('torch.memory.buffers').keep_alive, require 'torch.loops.strided_iterator'
local copy, numel, shape, contiguous = ffi.copy, geometry.numel, geometry.shape, geometry.contiguous
local Byte, Long = types.by_name.Byte, types.by_name.Long

local masked = {}

local function count_ones(name, bytes, n)
   local ones = tonumber(kernels.t7_count_ones(bytes, n))
   if ones < 0 then errors.raise('%s: the mask must hold 0 and 1 only (got other values)', name) end
   return ones
end

-- The mask as bytes in order and the number of ones, checked against t, `what` in messages, before `target` is
-- written.
local function mask_of(name, t, bytes, what, target)
   local n = numel(t)
   if numel(bytes) ~= n then
      errors.raise('%s: inconsistent tensor sizes: %s [%s] of %.0f elements and mask [%s] of %.0f%s', name, what,
         shape(t), n, shape(bytes), numel(bytes), broadcast.hint(what == 'tensor' and t or nil, t, bytes))
   end
   if n == 0 then return bytes, 0 end
   bytes = Byte.snapshot(bytes, target)
   return bytes, count_ones(name, bytes._memory._data + bytes._offset, n)
end

function masked.select(name, T)
   return function(r, t, bytes)
      local ones
      bytes, ones = mask_of(name, t, bytes, 'source')
      local result = T.new_vector(ones, 1)
      if ones > 0 then
         local ordered = T.contiguous(t)
         kernels.t7_masked_select(T.size, result._memory._data, ordered._memory._data + ordered._offset,
            bytes._memory._data + bytes._offset, numel(t))
         keep_alive(ordered, bytes)
      end
      if not r then return result end
      if ones == 0 then return T.tensor_methods.resize(r) end
      if T.shares(r, t) then return T.set_tensor(r, result) end
      return T.result(r, result)
   end
end

local plan = strided_iterator.new(2)

-- Copies the elements of `ordered`, which is contiguous, whose mask is 1: an element of t that shares its memory with
-- others keeps what these get.
local function copy_masked(T, t, bytes, ordered)
   strided_iterator.prepare(plan, 2, t, ordered)
   local size, step, count = T.size, plan.step[1][0], plan.size[0]
   local mask = bytes._memory._data + bytes._offset
   strided_iterator.start(plan)
   repeat
      local to, first = t._memory._data + (t._offset + plan.offset[1]), plan.offset[2]
      local from = ordered._memory._data + (ordered._offset + first)
      for i = 0, count - 1 do
         if mask[first + i] ~= 0 then copy(to + i * step, from + i, size) end
      end
   until not strided_iterator.next(plan, 2)
   keep_alive(bytes)
end

-- Returns t after what changed `ordered`, a contiguous tensor of its elements, where the mask is 1.
local function changed(T, t, bytes, ordered)
   if not contiguous(t) then
      if geometry.are_distinct(t) then T.copy_from(t, T, ordered) else copy_masked(T, t, bytes, ordered) end
   end
   keep_alive(ordered)
   return t
end

function masked.copy(name, T)
   return function(t, bytes, source)
      local ones
      bytes, ones = mask_of(name, t, bytes, 'tensor', t)
      if numel(source) < ones then
         errors.raise('%s: source [%s] of %.0f elements is too small for %.0f ones in the mask', name, shape(source),
            numel(source), ones)
      end
      if ones == 0 then return t end
      source = T.snapshot(source, t)
      local ordered = T.contiguous(t)
      kernels.t7_masked_copy(T.size, ordered._memory._data + ordered._offset, source._memory._data + source._offset,
         bytes._memory._data + bytes._offset, numel(t))
      keep_alive(source, bytes)
      return changed(T, t, bytes, ordered)
   end
end

function masked.fill(name, T)
   local one, set = ffi.new(T.c .. '[1]'), element.setter(T)
   return function(t, bytes, value)
      local ones
      bytes, ones = mask_of(name, t, bytes, 'tensor', t)
      if ones == 0 then return t end
      set(one, 0, value)
      local ordered = T.contiguous(t)
      kernels.t7_masked_fill(T.size, ordered._memory._data + ordered._offset, one, bytes._memory._data + bytes._offset,
         numel(t))
      keep_alive(bytes)
      return changed(T, t, bytes, ordered)
   end
end

-- The indices of elements that are not 0, a row of as many numbers as dimensions for each.
function masked.nonzero(_, T)
   return function(r, t)
      local n, dim, indices = 0, t._dim, nil
      if dim > 0 then
         local ordered = T.contiguous(t)
         -- A position is written before it is known whether its element is 0.
         indices = Long.new_vector(numel(t) + 1)
         n = tonumber(kernels.t7_nonzero(T.index, indices._memory._data, ordered._memory._data + ordered._offset,
            numel(t)))
         keep_alive(ordered)
      end
      r = r or Long.new_tensor()
      -- The sizes are still needed when r is t and gets others.
      local like = rawequal(r, t) and T.alias(t) or t
      if n == 0 then return Long.tensor_methods.resize(r) end
      Long.resize_to(r, { n, dim })
      local rows = Long.contiguous(r)
      local to, from = rows._memory._data + rows._offset, indices._memory._data
      for d = dim - 1, 0, -1 do
         kernels.t7_split_positions(to + d, dim, from, n, like._size[d])
      end
      if not contiguous(r) then Long.copy_from(r, Long, rows) end
      keep_alive(indices, like)
      return r
   end
end

return masked

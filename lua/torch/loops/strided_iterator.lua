-- Iteration over several tensors together: their common dimensions, merged where memory allows. Torch7 matches
-- elements by number, not by shape: a contiguous tensor fits any shape. A plan has `dim` loops, 0 the innermost;
-- size[d] is a count, step[k][d] the stride of operand k, from 1, in elements. Operands start at their offsets.

local ffi = require 'ffi'
local geometry = require 'torch.base.geometry'
local contiguous, finish_trace = geometry.contiguous, require('torch.jit.trace').finish

local strided_iterator = {}

local array_ct = ffi.typeof 'double[?]'

-- A plan for up to `operands` tensors. Hot callers create one and reuse it.
function strided_iterator.new(operands)
   local p = { dim = 0, capacity = 0, operands = operands, step = {}, offset = array_ct(operands + 1) }
   strided_iterator.reserve(p, 8)
   return p
end

function strided_iterator.reserve(p, dim)
   if dim <= p.capacity then return end
   p.capacity = dim
   p.size, p.index = array_ct(dim), array_ct(dim)
   for k = 1, p.operands do p.step[k] = array_ct(dim) end
end

-- Steps for a contiguous operand of the plan's own sizes.
local function contiguous_steps(p, k)
   local n = 1
   for d = 0, p.dim - 1 do
      p.step[k][d] = n
      n = n * p.size[d]
   end
end

-- Tells whether loops d and d + 1 can be merged for every operand.
local function mergeable(p, operands, d)
   for k = 1, operands do
      if p.step[k][d + 1] ~= p.step[k][d] * p.size[d] then return false end
   end
   return true
end

local function merge(p, operands)
   local to = 0
   for d = 1, p.dim - 1 do
      -- The loop under construction is `to`; dimension d either extends it or starts the next one.
      p.size[to + 1] = p.size[d]
      for k = 1, operands do p.step[k][to + 1] = p.step[k][d] end
      if mergeable(p, operands, to) then
         p.size[to] = p.size[to] * p.size[d]
      else
         to = to + 1
      end
   end
   p.dim = to + 1
end

-- Prepares iteration over up to four tensors with the same number of elements, at least one. Returns false if two that
-- are not contiguous differ in sizes: the caller then copies one of them.
function strided_iterator.prepare(p, operands, a, b, c, e)
   finish_trace()
   local shaped = nil
   for k = 1, operands do
      local t = k == 1 and a or k == 2 and b or k == 3 and c or e
      if not contiguous(t) then
         if not shaped then shaped = t
         elseif not strided_iterator.same_loops(shaped, t) then return false end
      end
   end
   local like = shaped or a
   strided_iterator.reserve(p, like._dim)
   local dim = 0
   for d = like._dim - 1, 0, -1 do
      if like._size[d] ~= 1 then
         p.size[dim] = like._size[d]
         dim = dim + 1
      end
   end
   if dim == 0 then
      p.size[0] = 1
      dim = 1
   end
   p.dim = dim
   for k = 1, operands do
      local t = k == 1 and a or k == 2 and b or k == 3 and c or e
      if not contiguous(t) then
         local at = 0
         for d = t._dim - 1, 0, -1 do
            if t._size[d] ~= 1 then
               p.step[k][at] = t._stride[d]
               at = at + 1
            end
         end
         if at == 0 then p.step[k][0] = 1 end
      else
         contiguous_steps(p, k)
      end
   end
   merge(p, operands)
   return true
end

local function take_loop(p, k, a, b)
   local d = a._dim - 1 - k
   if d >= 0 then p.size[k], p.step[1][k], p.step[2][k] = a._size[d], a._stride[d], b._stride[d] end
end

-- Prepares the walk over two tensors of the same sizes, of up to four dimensions, each of which is a loop.
function strided_iterator.prepare_small(p, a, b)
   p.dim = a._dim
   take_loop(p, 0, a, b)
   take_loop(p, 1, a, b)
   take_loop(p, 2, a, b)
   take_loop(p, 3, a, b)
end

-- Tells whether two tensors have the same sizes, ignoring dimensions of size 1.
function strided_iterator.same_loops(a, b)
   local i, j = a._dim - 1, b._dim - 1
   while true do
      while i >= 0 and a._size[i] == 1 do i = i - 1 end
      while j >= 0 and b._size[j] == 1 do j = j - 1 end
      if i < 0 or j < 0 then return i < 0 and j < 0 end
      if a._size[i] ~= b._size[j] then return false end
      i, j = i - 1, j - 1
   end
end

local function swap(list, i, k) list[i], list[k] = list[k], list[i] end

-- Exchanges two loops, for operands that may be visited in any order.
function strided_iterator.exchange(p, operands, i, j)
   swap(p.size, i, j)
   for k = 1, operands do swap(p.step[k], i, j) end
end

-- Sorts the loops over one operand, which may be visited in any order, by step, and merges them.
function strided_iterator.in_memory_order(p)
   if p.dim == 1 then return end
   local step = p.step[1]
   for d = 1, p.dim - 1 do
      local at = d
      while at > 0 and step[at] < step[at - 1] do
         strided_iterator.exchange(p, 1, at, at - 1)
         at = at - 1
      end
   end
   merge(p, 1)
end

-- Starts iteration; then `plan.next` advances the offsets to the next run of the inner loop, false at the end.
function strided_iterator.start(p)
   for d = 0, p.dim - 1 do p.index[d] = 0 end
   for k = 1, p.operands do p.offset[k] = 0 end
end

-- Moves all offsets by `count` steps of loop d.
local function move(p, operands, d, count)
   local offset, step = p.offset, p.step
   offset[1] = offset[1] + count * step[1][d]
   if operands > 1 then offset[2] = offset[2] + count * step[2][d] end
   if operands > 2 then offset[3] = offset[3] + count * step[3][d] end
   if operands > 3 then offset[4] = offset[4] + count * step[4][d] end
end

-- Advances loop d; false if it wraps around.
local function turn(p, operands, d)
   local index = p.index
   local i = index[d]
   if i + 1 < p.size[d] then
      index[d] = i + 1
      move(p, operands, d, 1)
      return true
   end
   index[d] = 0
   move(p, operands, d, -i)
   return false
end

local function turn_outer(p, operands)
   finish_trace()
   for d = 4, p.dim - 1 do
      if turn(p, operands, d) then return true end
   end
   return false
end

-- Starts with loop 1, or `first` of up to 4. Unrolled: a loop would keep the caller's from being compiled.
function strided_iterator.next(p, operands, first)
   local dim = p.dim
   first = first or 1
   if dim > 1 and first < 2 and turn(p, operands, 1) then return true end
   if dim > 2 and first < 3 and turn(p, operands, 2) then return true end
   if dim > 3 and first < 4 and turn(p, operands, 3) then return true end
   return dim > 4 and turn_outer(p, operands)
end

return strided_iterator

-- The exchanges of a quicksort, as in the TH library of PyTorch 1.0: median of three as pivot, up to ten elements by
-- insertion. They decide the order of equal elements: docs/decisions/0010-tie-breaking.md. Elements are integers of 32
-- or 64 bits, the rank in the upper half, the index in the lower. Comparisons are branch-free; parts of distinct ranks
-- are skipped.

local bit = require 'bit'
local ffi = require 'ffi'
local template = require 'torch.jit.template'

local exchanges = {}

-- Rows of up to this length are sorted by insertion, which is stable; longer rows, and parts of this length, are
-- partitioned.
exchanges.STABLE = 11

-- Parts from LISTED elements on are compared in blocks, which first list the distances of elements to be moved.
local BLOCK, LISTED = 64, 512
local from_left, from_right = ffi.new('int32_t[?]', LISTED), ffi.new('int32_t[?]', LISTED)

-- The longer of two parts is pushed here, so there is at most one per doubling of the length.
local stack = ffi.new('double[?]', 2 * 32)

local source = [[
local function below(a, b) return tobit(arshift(a - b, $BITS - 1)) end

-- Elements from the least of a rank on belong after its pivot, those up to the most before it. Loops compute both from
-- the number: a 64-bit variable would be boxed at the start of each.
local function least(pivot) return lshift(whole(pivot), $RANK) end
local function most(pivot) return lshift(whole(pivot), $RANK) + $BELOW end

-- Exchanges elements after i that belong after the pivot with elements before j that belong before it, until less than
-- two blocks are left. Blocks list the distances from both ends; two iterations at once take two thirds of the time.
local function exchange_blocks(x, i, j, pivot)
   local left, right = i + 1, j - 1
   local left_count, right_count, left_done, right_done = 0, 0, 0, 0
   while right - left + 1 >= 2 * $BLOCK do
      if left_done == left_count then
         left_done, left_count = 0, 0
         for t = 0, $BLOCK - 1, 2 do
            from_left[left_count] = t
            left_count = tobit(left_count + 1 + below(x[left + t], least(pivot)))
            from_left[left_count] = t + 1
            left_count = tobit(left_count + 1 + below(x[left + t + 1], least(pivot)))
         end
         i, left = left - 1, left + $BLOCK
      end
      if right_done == right_count then
         right_done, right_count = 0, 0
         for t = 0, $BLOCK - 1, 2 do
            from_right[right_count] = t
            right_count = tobit(right_count + 1 + below(most(pivot), x[right - t]))
            from_right[right_count] = t + 1
            right_count = tobit(right_count + 1 + below(most(pivot), x[right - t - 1]))
         end
         j, right = right + 1, right - $BLOCK
      end
      local count = left_count - left_done
      if right_count - right_done < count then count = right_count - right_done end
      local first, last = left - $BLOCK, right + $BLOCK
      for t = 0, count - 1 do
         i, j = first + from_left[left_done + t], last - from_right[right_done + t]
         x[i], x[j] = x[j], x[i]
      end
      left_done, right_done = left_done + count, right_done + count
      if left_done == left_count then i = left - 1 end
      if right_done == right_count then j = right + 1 end
   end
   return i, j
end

-- Exchanges a part of fewer than $LISTED elements completely: all elements to move are listed first. The pivot stops
-- both scans at the ends. Where i and j meet, one may stop at an element that was exchanged.
local function exchange_listed(x, i, j, pivot)
   local left, right, left_count, right_count = from_left, from_right, 0, 0
   for t = 1, j - i do
      left[left_count], right[right_count] = i + t, j - t
      left_count = tobit(left_count + 1 + below(x[i + t], least(pivot)))
      right_count = tobit(right_count + 1 + below(most(pivot), x[j - t]))
   end
   local done = 0
   while left[done] <= right[done] do
      local a, b = left[done], right[done]
      x[a], x[b] = x[b], x[a]
      done = done + 1
   end
   i, j = left[done], right[done]
   local last = done - 1
   if last >= 0 and left[last] == right[last] then last = last - 1 end
   if last >= 0 then i, j = min(i, right[last]), max(j, left[last]) end
   return i, j
end

local function rank(e) return tonumber(arshift(e, $RANK)) end

-- The element at j is then at its final index, nothing before it ranks above it, nothing from i on below it.
local function partition(x, left, right)
   local middle, first = (left + right - (left + right) % 2) / 2, left + 1
   x[middle], x[first] = x[first], x[middle]
   if rank(x[first]) > rank(x[right]) then x[first], x[right] = x[right], x[first] end
   if rank(x[left]) > rank(x[right]) then x[left], x[right] = x[right], x[left] end
   if rank(x[first]) > rank(x[left]) then x[first], x[left] = x[left], x[first] end
   local i, j, pivot = first, right, rank(x[left])
   if right - left >= $LISTED then i, j = exchange_blocks(x, i, j, pivot) end
   i, j = exchange_listed(x, i, j, pivot)
   x[left], x[j] = x[j], x[left]
   return i, j
end

-- Partitions equal ranks: every element is exchanged with its mirror image, without comparisons.
local function partition_equals(x, left, right)
   local middle, first = (left + right - (left + right) % 2) / 2, left + 1
   x[middle], x[first] = x[first], x[middle]
   local i, j = first, right
   for _ = 1, (right - first - (right - first) % 2) / 2 do
      i, j = i + 1, j - 1
      x[i], x[j] = x[j], x[i]
   end
   i, j = i + 1, j - 1
   x[left], x[j] = x[j], x[left]
   return i, j
end

-- Partitions the elements x from `left` to `right`. equal[k] is the number of sorted elements up to k that equal their
-- predecessor. Returns the bounds of the parts before j and from i on, and whether they need work.
local function partition_once(x, equal, left, right)
   local i, j
   if equal[right] - equal[left] == right - left then
      i, j = partition_equals(x, left, right)
   else
      i, j = partition(x, left, right)
   end
   local go_before = j - left >= $STABLE and equal[j - 1] > equal[left]
   return i, j, go_before, right - i + 1 >= $STABLE and equal[right] > equal[i]
end

-- Partitions the elements from `left` to `right`, and recursively all parts with equal elements.
local function partition_all(x, equal, left, right)
   local top = 0
   while true do
      local i, j, go_before, go_behind = partition_once(x, equal, left, right)
      if go_before and go_behind then
         if j - left > right - i + 1 then
            stack[top], stack[top + 1], top = left, j - 1, top + 2
            left = i
         else
            stack[top], stack[top + 1], top = i, right, top + 2
            right = j - 1
         end
      elseif go_before then
         right = j - 1
      elseif go_behind then
         left = i
      elseif top == 0 then
         return
      else
         top = top - 2
         left, right = stack[top], stack[top + 1]
      end
   end
end

return partition_once, partition_all]]

-- partition_once and partition_all for elements of a number of bits.
function exchanges.make(bits)
   local values = { BITS = bits, RANK = bits / 2, BELOW = bits == 64 and '0xffffffffLL' or '0xffff', BLOCK = BLOCK,
      LISTED = LISTED, STABLE = exchanges.STABLE }
   return template.compile('exchanges', source, values, { arshift = bit.arshift, lshift = bit.lshift, tobit = bit.tobit,
      whole = bits == 64 and ffi.typeof 'int64_t' or bit.tobit, max = math.max, min = math.min, tonumber = tonumber,
      from_left = from_left, from_right = from_right, stack = stack })
end

return exchanges

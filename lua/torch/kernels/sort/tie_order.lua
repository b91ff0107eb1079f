-- The positions of equal elements. Which of them comes first follows from the exchanges of a quicksort, as in the TH
-- library of PyTorch 1.0, a descendant of Torch7's (docs/decisions/0010): the median of three as pivot, parts of up to
-- ten elements by insertion. Rows are sorted in faster ways, see sort.lua, and those exchanges are made here for the
-- rows that have equal elements.
--
-- The exchanges are made on ranks, known from the sorted row, and places. Ranks are whole numbers
-- of one type: they are compared without branches, which could not be predicted, and a part whose ranks
-- all differ is left alone.

local tonumber = tonumber
local bit = require 'bit'
local ffi = require 'ffi'
local template, types = require 'torch.core.template', require 'torch.core.types'
local cast, max, min, rshift = ffi.cast, math.max, math.min, bit.rshift

local ties = {}

-- Rows of up to so many elements are sorted by insertion, which keeps equal elements in order; longer ones are
-- partitioned, and parts of theirs that are not shorter than this.
ties.STABLE = 11
local STABLE = ties.STABLE

-- Ranks and places are int32_t.
ties.LONGEST = 2 ^ 31 - 1

-- Parts from LISTED elements on are compared in blocks; how far from the ends of a part those are that have to move is
-- listed first.
local BLOCK, LISTED = 64, 512
local from_left, from_right = ffi.new('int32_t[?]', LISTED), ffi.new('int32_t[?]', LISTED)

-- The longer of two parts waits here, so that there is one for each doubling of the length at most.
local stack = ffi.new('double[?]', 2 * 32)

-- Exchanges elements behind i that do not belong before the pivot with elements before j that do not belong behind it,
-- until less than two blocks are between them: how far it came from both ends.
local function exchange_blocks(rank, place, i, j, pivot)
   local left, right = i + 1, j - 1
   local left_count, right_count, left_done, right_done = 0, 0, 0, 0
   while right - left + 1 >= 2 * BLOCK do
      if left_done == left_count then
         left_done, left_count = 0, 0
         for t = 0, BLOCK - 1 do
            from_left[left_count] = t
            left_count = left_count + 1 - rshift(rank[left + t] - pivot, 31)
         end
         i, left = left - 1, left + BLOCK
      end
      if right_done == right_count then
         right_done, right_count = 0, 0
         for t = 0, BLOCK - 1 do
            from_right[right_count] = t
            right_count = right_count + 1 - rshift(pivot - rank[right - t], 31)
         end
         j, right = right + 1, right - BLOCK
      end
      local count = left_count - left_done
      if right_count - right_done < count then count = right_count - right_done end
      local first, last = left - BLOCK, right + BLOCK
      for t = 0, count - 1 do
         i, j = first + from_left[left_done + t], last - from_right[right_done + t]
         rank[i], rank[j], place[i], place[j] = rank[j], rank[i], place[j], place[i]
      end
      left_done, right_done = left_done + count, right_done + count
      if left_done == left_count then i = left - 1 end
      if right_done == right_count then j = right + 1 end
   end
   return i, j
end

-- Exchanges a part of up to LISTED elements, to its end: all that have to move are listed before they do. The pivot
-- stops both at the ends. Where i and j meet, one of them may stop at an element that was exchanged.
local function exchange_listed(rank, place, i, j, pivot)
   local left, right, left_count, right_count = from_left, from_right, 0, 0
   for t = 1, j - i do
      left[left_count], right[right_count] = i + t, j - t
      left_count = left_count + 1 - rshift(rank[i + t] - pivot, 31)
      right_count = right_count + 1 - rshift(pivot - rank[j - t], 31)
   end
   local done = 0
   while left[done] <= right[done] do
      local a, b = left[done], right[done]
      rank[a], rank[b], place[a], place[b] = rank[b], rank[a], place[b], place[a]
      done = done + 1
   end
   i, j = left[done], right[done]
   local last = done - 1
   if last >= 0 and left[last] == right[last] then last = last - 1 end
   if last >= 0 then i, j = min(i, right[last]), max(j, left[last]) end
   return i, j
end

-- The element at j is then in its place, nothing before it ranks above it, nothing from i on below it.
local function partition(rank, place, left, right)
   local middle, first = (left + right - (left + right) % 2) / 2, left + 1
   rank[middle], rank[first], place[middle], place[first] = rank[first], rank[middle], place[first], place[middle]
   if rank[first] > rank[right] then
      rank[first], rank[right], place[first], place[right] = rank[right], rank[first], place[right], place[first]
   end
   if rank[left] > rank[right] then
      rank[left], rank[right], place[left], place[right] = rank[right], rank[left], place[right], place[left]
   end
   if rank[first] > rank[left] then
      rank[first], rank[left], place[first], place[left] = rank[left], rank[first], place[left], place[first]
   end
   local i, j, pivot = first, right, rank[left]
   if right - left >= LISTED then i, j = exchange_blocks(rank, place, i, j, pivot) end
   i, j = exchange_listed(rank, place, i, j, pivot)
   rank[left], rank[j], place[left], place[j] = rank[j], rank[left], place[j], place[left]
   return i, j
end

-- Partitions equal ranks: nothing is compared, every element changes places with its mirror image.
local function partition_equals(place, left, right)
   local middle, first = (left + right - (left + right) % 2) / 2, left + 1
   place[middle], place[first] = place[first], place[middle]
   local i, j = first, right
   for _ = 1, (right - first - (right - first) % 2) / 2 do
      i, j = i + 1, j - 1
      place[i], place[j] = place[j], place[i]
   end
   i, j = i + 1, j - 1
   place[left], place[j] = place[j], place[left]
   return i, j
end

-- Partitions all parts that have ties: equal[k] says how many of the sorted elements up to k equal the one before.
local function partition_all(rank, place, equal, n)
   local left, right, top = 0, n - 1, 0
   while true do
      local i, j
      if equal[right] - equal[left] == right - left then
         i, j = partition_equals(place, left, right)
      else
         i, j = partition(rank, place, left, right)
      end
      local before, behind = j - left, right - i + 1
      local go_before = before >= STABLE and equal[j - 1] > equal[left]
      local go_behind = behind >= STABLE and equal[right] > equal[i]
      if go_before and go_behind then
         if before > behind then
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

local list_source = [[
-- Equal elements of a row x are listed as they lie now. Zeros are equal, but some may have a sign.
return function(x, v, p, n, rank, place, start)
   for i = 0, n - 1 do
      local r, at = rank[i], place[i]
      local k = start[r]
      v[k], p[k], start[r] = x[at], at + 1, k + 1
   end
end]]

local find_source = [[
return function(v, k, count)
   for i = k, count - 2 do
      if not (v[i] $before v[i + 1]) then return i end
   end
   return count
end]]

-- find(v, k, count): the first of `count` sorted elements, from k on, that does not come before the next: its equal,
-- the last of its row, or nan. `count` when there is none.
function ties.finder(name, descending)
   return template.compile(name, find_source, { before = descending and '>' or '<' })
end

local rank_source = [[
-- Ranks from 0 by the sorted values v and their positions p, and where each rank starts; nan equals nan.
return function(v, p, n, rank, place, equal, start)
   local r = 0
   equal[0], start[0] = 0, 0
   for k = 0, n - 1 do
      if k > 0 then
         if v[k] == v[k - 1] or v[k] ~= v[k] and v[k - 1] ~= v[k - 1] then
            equal[k] = equal[k - 1] + 1
         else
            r = r + 1
            equal[k], start[r] = equal[k - 1], k
         end
      end
      local at = tonumber(p[k]) - 1
      rank[at], place[at] = r, at
   end
   return equal[n - 1] > 0
end]]

-- Rows of a type: sorted from x into v, with their positions p, in which direction.
ffi.cdef 'typedef struct { char *x, *v; int64_t *p; double n; int32_t type, descending; } t7_ties;'
ties.ct = ffi.typeof 't7_ties'
local pointer_ct = ffi.typeof 't7_ties *'

local tools = { {}, {} }

local function tools_of(T, descending)
   local made = tools[descending + 1]
   if not made[T] then
      local name = 'ties ' .. T.name
      made[T] = { find = ties.finder(name, descending == 1), list_positions = template.compile(name, list_source),
         rank_row = template.compile(name, rank_source, nil, { tonumber = tonumber }) }
   end
   return made[T]
end

-- Puts the equal elements of some rows into order. See share.lua.
function ties.settle(data, from, to)
   local q = cast(pointer_ct, data)
   local T, n = types.rows[q.type], q.n
   local own, count, rank, place, equal, start = tools_of(T, q.descending), (to - from) * n, nil, nil, nil, nil
   local find, rank_row, list_positions = own.find, own.rank_row, own.list_positions
   local x, v, p = cast(T.pointer_ct, q.x) + from * n, cast(T.pointer_ct, q.v) + from * n, q.p + from * n
   local k = find(v, 0, count)
   while k < count do
      if k % n < n - 1 then
         local row = k - k % n
         if not rank then
            rank = ffi.new('int32_t[?]', 4 * n)
            place, equal, start = rank + n, rank + 2 * n, rank + 3 * n
         end
         if rank_row(v + row, p + row, n, rank, place, equal, start) then
            partition_all(rank, place, equal, n)
            list_positions(x + row, v + row, p + row, n, rank, place, start)
         end
         k = row + n - 1
      end
      k = find(v, k + 1, count)
   end
end

return ties

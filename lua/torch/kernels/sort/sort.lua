-- Sorting and selecting along a dimension, with positions.
--
-- Rows of the dimension are copied together first. Equal elements have the positions that a quicksort and a selection
-- of Torch7's kind give them, see ties.lua; only the few best of long rows, see best.lua, when they are not to be
-- sorted, come in an order of their own: best first, and the first of equals first. nan counts as the largest.

local ipairs, loadstring, require, tonumber = ipairs, loadstring, require, tonumber
local ffi = require 'ffi'
local errors, geometry = require 'torch.core.errors', require 'torch.core.geometry'
local host, memory, native = require 'torch.core.host', require 'torch.memory.blocks', require 'torch.core.native'
local best, buckets = require 'torch.kernels.sort.top_k', require 'torch.kernels.sort.buckets'
local keys = require 'torch.kernels.sort.keys'
local network = require 'torch.kernels.sort.network'
local reduce, ties = require 'torch.kernels.reduce', require 'torch.kernels.sort.tie_order'
local types = require 'torch.core.types'
local finish_trace = require('torch.core.trace').finish
local count_of = geometry.count
local Long = types.by_name.Long

local sort = {}

-- Rows of up to so many elements are sorted by insertion, longer ones by a network or by NumPy.
local SHORT = ties.STABLE
-- The few best of longer rows are found by best.lua.
local FEW = 16

-- Scratch for rows of so many elements is kept.
local KEPT = 1024

-- rows x n elements from x in order, into v with their positions p, from 1.
local insertion_source = [[
return function(x, v, p, rows, n)
   for base = 0, (rows - 1) * n, n do
      for i = base, base + n - 1 do
         local value, j = x[i], i - 1
         while j >= base and ($moves) do
            v[j + 1], p[j + 1] = v[j], p[j]
            j = j - 1
         end
         v[j + 1], p[j + 1] = value, i - base + 1
      end
   end
end]]

local function make_insertion(name, T, descending)
   local moves = descending and 'v[j] < value' or 'v[j] > value'
   if not T.integer then
      moves = moves .. (descending and ' or value ~= value and v[j] == v[j]' or ' or v[j] ~= v[j] and value == value')
   end
   return loadstring((insertion_source:gsub('%$moves', moves)), '=t7 ' .. name)()
end

-- The dimension d of a result with its rows moved to the end, to be filled from `rows`.
local function spread_rows(R, r, rows, d)
   if d < r._dim - 1 then
      R.copy_from(reduce.moved_to_end(R, r, d), R, rows)
   elseif r ~= rows then
      R.copy_from(r, R, rows)
   end
   return r
end

local function number(places, n)
   for k = 0, n - 1 do places[k] = k + 1 end
end

local function result(R, r, like)
   if not r then return R.new_like(like) end
   R.resize_as(r, like)
   return r
end

-- order(x, v, p, rows, n, down): sorts rows x n elements from x into v, with their positions p, from 1.
local function make_sorter(name, T)
   local insertions, networks, kernels, long = {}, {}, {}, {}
   for _, down in ipairs { false, true } do insertions[down] = make_insertion(name, T, down) end
   local function order(x, v, p, rows, n, down)
      if n > keys.LONGEST then
         if not long[down] then long[down] = buckets.make(name, T, down) end
         for row = 0, rows - 1 do long[down](x + row * n, v + row * n, p + row * n, n) end
      elseif T.name ~= 'Long' then
         if not kernels[down] then kernels[down] = keys.make(name, T, down) end
         keys.sort(kernels[down], T, x, v, p, rows, n, down)
      else
         ffi.copy(v, x, rows * n * T.size)
         host.sort(native.address_of(v), native.address_of(p), T.dtype, rows, n, down)
      end
   end
   return function(x, v, p, rows, n, down)
      if n <= SHORT then return insertions[down](x, v, p, rows, n) end
      local sorted = 0
      if n <= network.LONGEST then
         if not networks[down] then networks[down] = network.make(name, T, down) end
         sorted = networks[down](x, v, p, rows, n)
         if sorted == rows then return end
      end
      order(x + sorted * n, v + sorted * n, p + sorted * n, rows - sorted, n, down)
   end
end

-- The same with the positions of a quicksort for equal elements.
local function make_order(name, T)
   local sorter, settle = make_sorter(name, T), {}
   return function(x, v, p, rows, n, down)
      finish_trace()
      sorter(x, v, p, rows, n, down)
      if n <= SHORT then return end
      if not settle[down] then settle[down] = ties.make(name, down) end
      settle[down](x, v, p, rows, n)
   end
end

function sort.sort(name, T)
   local order = make_order(name, T)
   return function(r, index, t, dim, down)
      local d = reduce.dimension_of(name, t, dim, t._dim)
      local n = t._size[d]
      local from, kept = reduce.rows_of(T, t, d)
      local values, places = T.new_like(from), Long.new_like(from)
      order(from._memory._data + from._offset, values._memory._data + values._offset,
         places._memory._data + places._offset, count_of(t) / n, n, down or false)
      memory.alive(values, places)
      reduce.done_with_rows(T, from, kept)
      if not r and d == t._dim - 1 then r = values else r = spread_rows(T, result(T, r, t), values, d) end
      if not index and d == t._dim - 1 then return r, places end
      return r, spread_rows(Long, result(Long, index, t), places, d)
   end
end

-- Brings the element that belongs at place k to it, smaller ones before and larger ones behind: partitions
-- around the median of three until the place is found.
local select_source = [[
return function(v, p, k, n)
   local left, right = 0, n - 1
   while right > left do
      if right == left + 1 then
         if $after(v[left], v[right]) then
            v[left], v[right], p[left], p[right] = v[right], v[left], p[right], p[left]
         end
         return
      end
      local middle, first = (left + right - (left + right) % 2) / 2, left + 1
      v[middle], v[first], p[middle], p[first] = v[first], v[middle], p[first], p[middle]
      if $after(v[first], v[right]) then
         v[first], v[right], p[first], p[right] = v[right], v[first], p[right], p[first]
      end
      if $after(v[left], v[right]) then
         v[left], v[right], p[left], p[right] = v[right], v[left], p[right], p[left]
      end
      if $after(v[first], v[left]) then
         v[first], v[left], p[first], p[left] = v[left], v[first], p[left], p[first]
      end
      local i, j, pivot = first, right, v[left]
      while true do
         repeat i = i + 1 until not (i < n and $after(pivot, v[i]))
         repeat j = j - 1 until not (j > 0 and $after(v[j], pivot))
         if j < i then break end
         v[i], v[j], p[i], p[j] = v[j], v[i], p[j], p[i]
      end
      v[left], v[j], p[left], p[j] = v[j], v[left], p[j], p[left]
      if j <= k then left = i end
      if j >= k then right = j - 1 end
   end
end]]

local function make_select(name, T)
   local source = select_source:gsub('%$after(%b())', function(pair)
      local a, b = pair:match '^%((.*), (.*)%)$'
      local after = a .. ' > ' .. b
      return T.integer and after or ('(%s or %s ~= %s and %s == %s)'):format(after, a, a, b, b)
   end)
   return loadstring(source, '=t7 ' .. name)()
end

-- run(r, index, t, d, k): one element of each row along d, and its position: what pick(x, v, p, row, n, k) answers for
-- the row of n elements from x[row] on. `order` brought them into v, with their positions p; without it these are room
-- to work in.
local function one_of_rows(T, order, pick)
   return function(r, index, t, d, k)
      finish_trace()
      local from, kept = reduce.rows_of(T, t, d)
      local n, like = t._size[d], reduce.reduced_shape(t, d, 1)
      local rows = count_of(t) / n
      local work, given = reduce.begin(T, r, like, t)
      local places, given_index = reduce.begin(Long, index, like, t)
      reduce.done_with_shape(like)
      local values, positions = T.new_vector(rows * n), Long.new_vector(rows * n)
      local x, v, p = from._memory._data + from._offset, values._memory._data, positions._memory._data
      local to, at = work._memory._data + work._offset, places._memory._data + places._offset
      if order then order(x, v, p, rows, n, false) end
      for i = 0, rows - 1 do to[i], at[i] = pick(x, v, p, i * n, n, k) end
      memory.alive(values, positions)
      memory.alive(work, places)
      reduce.done_with_rows(T, from, kept)
      return reduce.finish(T, work, given), reduce.finish(Long, places, given_index)
   end
end

-- Rows of up to so many elements are sorted faster than their k-th smallest is selected.
local MOST_SORTED = 4096

-- run(r, index, t, d, k): the element at place k, from 0, of the sorted rows along d. Where it has equals its position
-- is the one that selecting gives.
local function selection(name, T)
   local select_place = make_select(name, T)
   local function select(x, v, p, row, n, k)
      x, v, p = x + row, v + row, p + row
      ffi.copy(v, x, n * T.size)
      number(p, n)
      select_place(v, p, k, n)
      return v[k], p[k]
   end
   local select_rows = one_of_rows(T, nil, select)
   local sort_rows = one_of_rows(T, make_sorter(name, T), function(x, v, p, row, n, k)
      local at = row + k
      local value = v[at]
      if value == value and (k == 0 or v[at - 1] ~= value) and (k == n - 1 or v[at + 1] ~= value) then
         return value, p[at]
      end
      return select(x, v, p, row, n, k)
   end)
   return function(r, index, t, d, k)
      return (t._size[d] > MOST_SORTED and select_rows or sort_rows)(r, index, t, d, k)
   end
end

function sort.kthvalue(name, T)
   local run = selection(name, T)
   return function(r, index, t, k, dim)
      local d = reduce.dimension_of(name, t, dim, t._dim)
      k = errors.integer(name, 2, k)
      if not (k >= 1 and k <= t._size[d]) then
         errors.argument(name, 2, 'k from 1 to %.0f expected, got %.0f', t._size[d], k)
      end
      return run(r, index, t, d, k - 1)
   end
end

function sort.median(name, T)
   local run = selection(name, T)
   return function(r, index, t, dim)
      local d = reduce.dimension_of(name, t, dim, t._dim)
      local n = t._size[d]
      return run(r, index, t, d, (n - 1 - (n - 1) % 2) / 2)
   end
end

-- The end of the longest run of equals in order, the first of several.
function sort.mode(name, T)
   local order = make_order(name, T)
   local run = one_of_rows(T, order, function(_, v, p, row, n)
      local most, found, start = 0, row, row
      for i = row, row + n - 1 do
         if i == row + n - 1 or v[i] ~= v[i + 1] then
            if i - start + 1 > most then most, found = i - start + 1, i end
            start = i + 1
         end
      end
      return v[found], p[found]
   end)
   return function(r, index, t, dim)
      return run(r, index, t, reduce.dimension_of(name, t, dim, t._dim))
   end
end

-- The k smallest or largest of rows; sorted when asked for.
function sort.topk(name, T)
   local select_place = make_select(name, T)
   local order, found_by, finders = make_order(name, T), {}, {}
   for _, down in ipairs { false, true } do finders[down] = ties.finder(name, down) end
   -- Sorts v[0..n-1], and their positions p with them, by way of three vectors of that size at least.
   local function sort_row(v, p, n, down, x, order_of, from)
      local row, q, places = x._memory._data + x._offset, order_of._memory._data + order_of._offset,
         from._memory._data + from._offset
      ffi.copy(row, v, n * T.size)
      ffi.copy(places, p, n * Long.size)
      order(row, v, q, 1, n, down)
      for i = 0, n - 1 do p[i] = places[tonumber(q[i]) - 1] end
   end
   local kept_row, kept_places = ffi.new(T.c .. '[?]', KEPT), ffi.new('double[?]', KEPT)
   local function select_rows(x, to, at, rows, n, k, largest, sorted)
      local row, places, from = kept_row, kept_places, largest and n - k or 0
      if n > KEPT then row, places = ffi.new(T.c .. '[?]', n), ffi.new('double[?]', n) end
      -- The selection puts the last of the smallest into its place.
      local unsorted, x_row, order_of, before = sorted and (largest and k or k - 1) or 0, nil, nil, nil
      if unsorted > 1 then x_row, order_of, before = T.new_vector(k), Long.new_vector(k), Long.new_vector(k) end
      for i = 0, rows - 1 do
         local row_x, row_to, row_at = x + i * n, to + i * k, at + i * k
         for j = 0, n - 1 do row[j], places[j] = row_x[j], j + 1 end
         local last = largest and from - 1 or k - 1
         if last >= 0 then select_place(row, places, last, n) end
         for j = 0, k - 1 do row_to[j], row_at[j] = row[from + j], places[from + j] end
         if unsorted > 1 then sort_row(row_to, row_at, unsorted, largest, x_row, order_of, before) end
      end
      memory.alive(x_row, order_of, before)
   end
   local function best_of(k, largest, n)
      local which = (largest and k or -k) + 4 * best.MOST * (n < best.FIRST and n or best.FIRST)
      if not found_by[which] then found_by[which] = best.make(name, T, k, largest, n) end
      return found_by[which]
   end
   -- Where the best and the one after them all differ, there is only one order; other rows are selected from.
   local function best_in_order(x, to, at, rows, n, k, largest)
      local more = k + 1
      local values, places = T.new_vector(rows * more), Long.new_vector(rows * more)
      local v, p = values._memory._data + values._offset, places._memory._data + places._offset
      local find = finders[largest]
      best_of(more, largest, n)(x, v, p, rows, n)
      for row = 0, rows - 1 do
         local row_v, row_p, row_to, row_at = v + row * more, p + row * more, to + row * k, at + row * k
         if find(row_v, 0, more) < more then
            select_rows(x + row * n, row_to, row_at, 1, n, k, largest, true)
         else
            for j = 0, k - 1 do row_to[j], row_at[j] = row_v[j], row_p[j] end
         end
      end
      memory.alive(values, places)
   end
   local function run(values, work, places, n, k, largest, sorted)
      local x, rows = values._memory._data + values._offset, count_of(values) / n
      local to, at = work._memory._data + work._offset, places._memory._data + places._offset
      if n > FEW and sorted and k < best.MOST then
         best_in_order(x, to, at, rows, n, k, largest)
      elseif n > FEW and not sorted and k <= best.MOST then
         best_of(k, largest, n)(x, to, at, rows, n)
      else
         select_rows(x, to, at, rows, n, k, largest, sorted)
      end
      memory.alive(values, work, places)
   end
   return function(r, index, t, k, dim, largest, sorted)
      largest = largest or false
      local d = reduce.dimension_of(name, t, dim, t._dim)
      local n = t._size[d]
      k = errors.integer(name, 1, k)
      if not (k >= 1 and k <= n) then errors.argument(name, 1, 'k from 1 to %.0f expected, got %.0f', n, k) end
      local values, kept = reduce.rows_of(T, t, d)
      local like = reduce.reduced_shape(t, d, k)
      if d == t._dim - 1 then
         local work, given = reduce.begin(T, r, like, t)
         local places, given_index = reduce.begin(Long, index, like, t)
         reduce.done_with_shape(like)
         run(values, work, places, n, k, largest, sorted)
         reduce.done_with_rows(T, values, kept)
         return reduce.finish(T, work, given), reduce.finish(Long, places, given_index)
      end
      local rows = count_of(t) / n
      local work, places = T.new_vector(rows * k), Long.new_vector(rows * k)
      run(values, work, places, n, k, largest, sorted)
      reduce.done_with_rows(T, values, kept)
      r, index = result(T, r, like), result(Long, index, like)
      reduce.done_with_shape(like)
      return spread_rows(T, r, work, d), spread_rows(Long, index, places, d)
   end
end

return sort

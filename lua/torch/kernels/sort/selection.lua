-- Selection by rank along a dimension, with indices. Equal elements have the order of Torch7's selection; only the
-- unsorted best of long rows (top_k.lua) come best first, the first of equals first. nan is the largest.

local ipairs, require, tonumber = ipairs, require, tonumber
local ffi = require 'ffi'
local top_k, errors = require 'torch.kernels.sort.top_k', require 'torch.base.errors'
local count_of = require('torch.base.geometry').count
local buffers, reduce_axis = require 'torch.memory.buffers', require 'torch.kernels.reduce.reduce_axis'
local network, sort_keys = require 'torch.kernels.sort.network', require 'torch.kernels.sort.sort_keys'
local sort, template = require 'torch.kernels.sort', require 'torch.jit.template'
local finish_trace = require('torch.jit.trace').finish
local ties = require 'torch.kernels.sort.ties'
local Long = require('torch.base.types').by_name.Long

local selection = {}

-- Moves the element of rank k to index k, smaller ones before it: partitions around the median of three.
local select_source = [[
return function(v, p, k, n)
   local left, right = 0, n - 1
   while right > left do
      if right == left + 1 then
         if $left_after_right then
            v[left], v[right], p[left], p[right] = v[right], v[left], p[right], p[left]
         end
         return
      end
      local middle, first = (left + right - (left + right) % 2) / 2, left + 1
      v[middle], v[first], p[middle], p[first] = v[first], v[middle], p[first], p[middle]
      if $first_after_right then
         v[first], v[right], p[first], p[right] = v[right], v[first], p[right], p[first]
      end
      if $left_after_right then
         v[left], v[right], p[left], p[right] = v[right], v[left], p[right], p[left]
      end
      if $first_after_left then
         v[first], v[left], p[first], p[left] = v[left], v[first], p[left], p[first]
      end
      local i, j, pivot = first, right, v[left]
      while true do
         repeat i = i + 1 until not (i < n and $pivot_after_i)
         repeat j = j - 1 until not (j > 0 and $j_after_pivot)
         if j < i then break end
         v[i], v[j], p[i], p[j] = v[j], v[i], p[j], p[i]
      end
      v[left], v[j], p[left], p[j] = v[j], v[left], p[j], p[left]
      if j <= k then left = i end
      if j >= k then right = j - 1 end
   end
end]]

local function make_select(name, T)
   local function after(a, b)
      local greater = a .. ' > ' .. b
      return T.integer and greater or ('(%s or %s ~= %s and %s == %s)'):format(greater, a, a, b, b)
   end
   return template.compile(name, select_source, {
      left_after_right = after('v[left]', 'v[right]'), first_after_right = after('v[first]', 'v[right]'),
      first_after_left = after('v[first]', 'v[left]'), pivot_after_i = after('pivot', 'v[i]'),
      j_after_pivot = after('v[j]', 'pivot'),
   })
end

local function number(indices, n)
   for k = 0, n - 1 do indices[k] = k + 1 end
end

-- Rows of up to MOST_SORTED elements are sorted, longer ones partitioned by NumPy, and the longest, whose indices leave
-- too few bits of the elements, partitioned in Lua.
local MOST_RANKED, MOST_SORTED = 2 ^ 18, network.LONGEST

-- run(r, index, t, d, k): the element of rank k, from 0, of the rows along d; ties as the selection breaks them.
local function rank_of_rows(name, T)
   local select_rank, kernels = make_select(name, T), nil
   local function select(x, v, p, row, n, k)
      x = x + row
      ffi.copy(v, x, n * T.size)
      number(p, n)
      select_rank(v, p, k, n)
      return v[k], p[k]
   end
   local sort_rows = sort.one_of_rows(T, sort.make_sorter(name, T), function(x, v, p, row, n, k)
      local at = row + k
      local value = v[at]
      if value == value and (k == 0 or v[at - 1] ~= value) and (k == n - 1 or v[at + 1] ~= value) then
         return value, p[at]
      end
      return select(x, v + row, p + row, row, n, k)
   end)
   local function rank_rows(r, index, t, d, k)
      finish_trace()
      local from = sort.clean_rows(T, t, d)
      local n, like = t._size[d], reduce_axis.reduced_shape(t, d, 1)
      local rows = count_of(t) / n
      local work, given = reduce_axis.begin(T, r, like, t)
      local indices, given_index = reduce_axis.begin(Long, index, like, t)
      local values, positions = T.new_vector(n), Long.new_vector(n)
      local x, to, at = from._memory._data + from._offset, work._memory._data + work._offset,
         indices._memory._data + indices._offset
      if n <= MOST_RANKED then
         kernels = kernels or sort_keys.make(name, T, false)
         sort_keys.places(kernels, T, x, rows, n, k, at)
      end
      local v, p = values._memory._data, positions._memory._data
      for i = 0, rows - 1 do
         if n <= MOST_RANKED and at[i] > 0 then
            to[i] = x[i * n + tonumber(at[i]) - 1]
         else
            to[i], at[i] = select(x, v, p, i * n, n, k)
         end
      end
      buffers.alive(values, positions)
      buffers.alive(work, indices, from)
      return T.result(given, work), Long.result(given_index, indices)
   end
   return function(r, index, t, d, k)
      return (t._size[d] > MOST_SORTED and rank_rows or sort_rows)(r, index, t, d, k)
   end
end

function selection.kthvalue(name, T)
   local run = rank_of_rows(name, T)
   return function(r, index, t, k, dim)
      local d = reduce_axis.dimension_of(name, t, dim, t._dim)
      k = errors.integer(name, 2, k)
      if not (k >= 1 and k <= t._size[d]) then
         errors.raise('%s: k must be 1 to %.0f (got %.0f)', name, t._size[d], k)
      end
      return run(r, index, t, d, k - 1)
   end
end

function selection.median(name, T)
   local run = rank_of_rows(name, T)
   return function(r, index, t, dim)
      local d = reduce_axis.dimension_of(name, t, dim, t._dim)
      local n = t._size[d]
      return run(r, index, t, d, (n - 1 - (n - 1) % 2) / 2)
   end
end

local FEW = 16
-- Scratch for rows of up to this length is kept.
local KEPT = 1024

-- Makes the tools of topk for a type: `select_rank` and `order` of its rows, finders of ties by direction, scratch.
local function make_tools(name, T)
   local tools = { T = T, name = name, select_rank = make_select(name, T), order = sort.make_order(name, T), find = {},
      best = {}, row = ffi.new(T.c .. '[?]', KEPT), indices = ffi.new('double[?]', KEPT) }
   for _, down in ipairs { false, true } do tools.find[down] = ties.finder(name, down) end
   return tools
end

-- Returns the function that finds the k best of rows of n elements, in any order.
local function best_of(tools, k, largest, n)
   local which = (largest and k or -k) + 4 * top_k.MOST * (n < top_k.FIRST and n or top_k.FIRST)
   tools.best[which] = tools.best[which] or top_k.make(tools.name, tools.T, k, largest, n)
   return tools.best[which]
end

-- Sorts v[0..n-1] and their indices p, with three scratch vectors of at least that size.
local function sort_row(tools, v, p, n, down, x, order_of, from)
   local T = tools.T
   local row, q, indices = x._memory._data + x._offset, order_of._memory._data + order_of._offset,
      from._memory._data + from._offset
   ffi.copy(row, v, n * T.size)
   ffi.copy(indices, p, n * Long.size)
   tools.order(row, v, q, 1, n, down)
   for i = 0, n - 1 do p[i] = indices[tonumber(q[i]) - 1] end
end

local function select_rows(tools, x, to, at, rows, n, k, largest, sorted)
   local T, row, indices, from = tools.T, tools.row, tools.indices, largest and n - k or 0
   if n > KEPT then row, indices = ffi.new(T.c .. '[?]', n), ffi.new('double[?]', n) end
   -- The selection moves the last of the smallest to its index.
   local unsorted, x_row, order_of, before = sorted and (largest and k or k - 1) or 0, nil, nil, nil
   if unsorted > 1 then x_row, order_of, before = T.new_vector(k), Long.new_vector(k), Long.new_vector(k) end
   for i = 0, rows - 1 do
      local row_x, row_to, row_at = x + i * n, to + i * k, at + i * k
      for j = 0, n - 1 do row[j], indices[j] = row_x[j], j + 1 end
      local last = largest and from - 1 or k - 1
      if last >= 0 then tools.select_rank(row, indices, last, n) end
      for j = 0, k - 1 do row_to[j], row_at[j] = row[from + j], indices[from + j] end
      if unsorted > 1 then sort_row(tools, row_to, row_at, unsorted, largest, x_row, order_of, before) end
   end
   buffers.alive(x_row, order_of, before)
end

-- Finds one more than the best: if all differ, the order is unique. Other rows are selected from.
local function best_in_order(tools, x, to, at, rows, n, k, largest)
   local more, find = k + 1, tools.find[largest]
   local values, indices = tools.T.new_vector(rows * more), Long.new_vector(rows * more)
   local v, p = values._memory._data + values._offset, indices._memory._data + indices._offset
   best_of(tools, more, largest, n)(x, v, p, rows, n)
   for row = 0, rows - 1 do
      local row_v, row_p, row_to, row_at = v + row * more, p + row * more, to + row * k, at + row * k
      if find(row_v, 0, more) < more then
         select_rows(tools, x + row * n, row_to, row_at, 1, n, k, largest, true)
      else
         for j = 0, k - 1 do row_to[j], row_at[j] = row_v[j], row_p[j] end
      end
   end
   buffers.alive(values, indices)
end

local function best_unordered(tools, x, to, at, rows, n, k, largest)
   best_of(tools, k, largest, n)(x, to, at, rows, n)
end

-- The more elements are kept, the more are inserted: up to ANY in rows of any length, more if a row is SQUARE times as
-- long as their square.
local ANY, SQUARE = 8, 8

local function way_for(n, k, sorted)
   if n <= FEW then return select_rows end
   if not sorted then return k <= ANY and best_unordered or select_rows end
   local kept = k + 1
   return (kept <= ANY or kept <= top_k.MOST and n >= SQUARE * kept * kept) and best_in_order or select_rows
end

function selection.topk(name, T)
   local tools = make_tools(name, T)
   local function run(values, work, indices, n, k, largest, sorted)
      way_for(n, k, sorted)(tools, values._memory._data + values._offset, work._memory._data + work._offset,
         indices._memory._data + indices._offset, count_of(values) / n, n, k, largest, sorted)
      buffers.alive(values, work, indices)
   end
   return function(r, index, t, k, dim, largest, sorted)
      largest = largest or false
      local d = reduce_axis.dimension_of(name, t, dim, t._dim)
      local n = t._size[d]
      k = errors.integer(name, 1, k)
      if not (k >= 1 and k <= n) then errors.raise('%s: k must be 1 to %.0f (got %.0f)', name, n, k) end
      local values = sort.clean_rows(T, t, d)
      if d == t._dim - 1 then
         local like = reduce_axis.reduced_shape(t, d, k)
         local work, given = reduce_axis.begin(T, r, like, t)
         local indices, given_index = reduce_axis.begin(Long, index, like, t)
         run(values, work, indices, n, k, largest, sorted)
         return T.result(given, work), Long.result(given_index, indices)
      end
      local rows = count_of(t) / n
      local work, indices = T.new_vector(rows * k), Long.new_vector(rows * k)
      run(values, work, indices, n, k, largest, sorted)
      local like = reduce_axis.reduced_shape(t, d, k)
      return sort.spread_rows(T, r, like, work, d), sort.spread_rows(Long, index, like, indices, d)
   end
end

return selection

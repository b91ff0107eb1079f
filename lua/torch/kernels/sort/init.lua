-- Sorting along a dimension, with indices; selection.lua picks elements by rank. Rows of the dimension are copied
-- together. Equal elements have the order of Torch7's quicksort, see ties.lua. nan is the largest.

local ffi = require 'ffi'
local geometry = require 'torch.base.geometry'
local host, buffers, native = require 'torch.native.host', require 'torch.memory.buffers', require 'torch.native.native'
local buckets = require 'torch.kernels.sort.buckets'
local exchanges = require 'torch.kernels.sort.exchanges'
local sort_keys = require 'torch.kernels.sort.sort_keys'
local network = require 'torch.kernels.sort.network'
local reduce_axis, ties = require 'torch.kernels.reduce.reduce_axis', require 'torch.kernels.sort.ties'
local nan_payloads, template = require 'torch.base.nan_payloads', require 'torch.jit.template'
local types = require 'torch.base.types'
local finish_trace = require('torch.jit.trace').finish
local count_of = geometry.count
local Long = types.by_name.Long

local sort = {}

-- Rows of up to this length are sorted by insertion, longer ones by a network or by NumPy.
local SHORT = exchanges.STABLE
-- rows x n elements from x in order, into v with their indices p, from 1.
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
   return template.compile(name, insertion_source, { moves = moves })
end

-- A result of the sizes of `like`, r if given, with `rows` along dimension d.
function sort.spread_rows(R, r, like, rows, d)
   r = r and R.resize_as(r, like) or R.new_like(like)
   R.copy_from(d < r._dim - 1 and reduce_axis.moved_to_end(R, r, d) or r, R, rows)
   return r
end

-- Longer rows of integers of up to 16 bits are radix-sorted by NumPy.
local MOST_SHORT = 2 ^ 15

-- order(x, v, p, rows, n, down): sorts rows x n elements from x into v, with their indices p, from 1.
function sort.make_sorter(name, T)
   local insertions, networks, kernels, long, longest = {}, {}, {}, {}, sort_keys.longest(T)
   for _, down in ipairs { false, true } do insertions[down] = make_insertion(name, T, down) end
   local function order(x, v, p, rows, n, down)
      if T.size <= 2 and n > MOST_SHORT then
         ffi.copy(v, x, rows * n * T.size)
         host.sort(native.address_of(v), native.address_of(p), T.dtype, rows, n, down)
      elseif n > longest then
         if not long[down] then long[down] = buckets.make(name, T, down) end
         for row = 0, rows - 1 do long[down](x + row * n, v + row * n, p + row * n, n) end
      else
         if not kernels[down] then kernels[down] = sort_keys.make(name, T, down) end
         sort_keys.sort(kernels[down], T, x, v, p, rows, n, down)
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

-- Sorts with equal elements in the order of a quicksort.
function sort.make_order(name, T)
   local sorter, settle = sort.make_sorter(name, T), ties.settler(T)
   return function(x, v, p, rows, n, down)
      finish_trace()
      sorter(x, v, p, rows, n, down)
      if n > SHORT then settle(x, v, p, rows, n, down) end
   end
end

-- reduce_axis.rows_of without NaN payloads, in memory that nothing else writes to: the kernels hold elements in Lua
-- variables.
function sort.clean_rows(T, t, d)
   local rows = T.steady(reduce_axis.rows_of(T, t, d))
   if T.integer or not nan_payloads.has_nan(T, rows._memory._data + rows._offset, count_of(rows)) then return rows end
   rows = T.clone(rows)
   nan_payloads.clean(T, rows._memory._data, count_of(rows))
   return rows
end

function sort.sort(name, T)
   local order = sort.make_order(name, T)
   return function(r, index, t, dim, down)
      local d = reduce_axis.dimension_of(name, t, dim, t._dim)
      local n = t._size[d]
      local from = sort.clean_rows(T, t, d)
      local values, indices = T.new_like(from), Long.new_like(from)
      order(from._memory._data + from._offset, values._memory._data + values._offset,
         indices._memory._data + indices._offset, count_of(t) / n, n, down or false)
      buffers.alive(values, indices, from)
      local is_last = d == t._dim - 1
      r = is_last and not r and values or sort.spread_rows(T, r, t, values, d)
      return r, is_last and not index and indices or sort.spread_rows(Long, index, t, indices, d)
   end
end

-- run(r, index, t, d, k): one element of each row along d, and its index, by pick(x, v, p, row, n, k) for the n
-- elements from x[row] on. `order` first sorts them into v with indices p; without it v and p are scratch.
function sort.one_of_rows(T, order, pick)
   return function(r, index, t, d, k)
      finish_trace()
      local from = sort.clean_rows(T, t, d)
      local n, like = t._size[d], reduce_axis.reduced_shape(t, d, 1)
      local rows = count_of(t) / n
      local work, given = reduce_axis.begin(T, r, like, t)
      local indices, given_index = reduce_axis.begin(Long, index, like, t)
      local values, positions = T.new_vector(rows * n), Long.new_vector(rows * n)
      local x, v, p = from._memory._data + from._offset, values._memory._data, positions._memory._data
      local to, at = work._memory._data + work._offset, indices._memory._data + indices._offset
      if order then order(x, v, p, rows, n, false) end
      for i = 0, rows - 1 do to[i], at[i] = pick(x, v, p, i * n, n, k) end
      buffers.alive(values, positions)
      buffers.alive(work, indices, from)
      return T.result(given, work), Long.result(given_index, indices)
   end
end

-- The end of the longest run of equals in order, the first of several.
function sort.mode(name, T)
   local order = sort.make_order(name, T)
   local run = sort.one_of_rows(T, order, function(_, v, p, row, n)
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
      return run(r, index, t, reduce_axis.dimension_of(name, t, dim, t._dim))
   end
end

return sort

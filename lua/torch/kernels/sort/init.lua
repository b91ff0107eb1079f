-- Sorting along a dimension, with indices; selection.lua picks elements by rank.
--
-- Rows of the dimension are copied together first. Equal elements have the positions that a quicksort of Torch7's kind
-- gives them, see ties.lua. nan counts as the largest.

local plain = require('torch.base.nan_payloads').plain
local ipairs, require = ipairs, require
local ffi = require 'ffi'
local geometry = require 'torch.base.geometry'
local host, buffers, native = require 'torch.native.host', require 'torch.memory.buffers', require 'torch.native.native'
local buckets = require 'torch.kernels.sort.buckets'
local exchanges = require 'torch.kernels.sort.exchanges'
local sort_keys = require 'torch.kernels.sort.sort_keys'
local network = require 'torch.kernels.sort.network'
local reduce_axis, ties = require 'torch.kernels.reduce.reduce_axis', require 'torch.kernels.sort.ties'
local template, types = require 'torch.jit.template', require 'torch.base.types'
local finish_trace = require('torch.jit.trace').finish
local count_of = geometry.count
local Long = types.by_name.Long

local sort = {}

-- The rows along a dimension as numbers that nobody writes to while they are compared.
function sort.rows_of(T, t, d) return plain(T, T.steady(reduce_axis.rows_of(T, t, d))) end

-- Rows of up to this length are sorted by insertion, longer ones by a network or by NumPy.
local SHORT = exchanges.STABLE
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
   return template.compile(name, insertion_source, { moves = moves })
end

-- The dimension d of a result with its rows moved to the end, to be filled from `rows`.
function sort.spread_rows(R, r, rows, d)
   if d < r._dim - 1 then
      R.copy_from(reduce_axis.moved_to_end(R, r, d), R, rows)
   elseif r ~= rows then
      R.copy_from(r, R, rows)
   end
   return r
end

function sort.result(R, r, like)
   if not r then return R.new_like(like) end
   R.resize_as(r, like)
   return r
end

-- Longer rows of integers of up to 16 bits are sorted by their digits, by NumPy.
local MOST_SHORT = 2 ^ 15

-- order(x, v, p, rows, n, down): sorts rows x n elements from x into v, with their positions p, from 1.
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

-- Sorts with the positions of a quicksort for equal elements.
function sort.make_order(name, T)
   local sorter, settle = sort.make_sorter(name, T), ties.settler(T)
   return function(x, v, p, rows, n, down)
      finish_trace()
      sorter(x, v, p, rows, n, down)
      if n > SHORT then settle(x, v, p, rows, n, down) end
   end
end

function sort.sort(name, T)
   local order = sort.make_order(name, T)
   return function(r, index, t, dim, down)
      local d = reduce_axis.dimension_of(name, t, dim, t._dim)
      local n = t._size[d]
      local from = sort.rows_of(T, t, d)
      local values, places = T.new_like(from), Long.new_like(from)
      order(from._memory._data + from._offset, values._memory._data + values._offset,
         places._memory._data + places._offset, count_of(t) / n, n, down or false)
      buffers.alive(values, places, from)
      if not r and d == t._dim - 1 then r = values else r = sort.spread_rows(T, sort.result(T, r, t), values, d) end
      if not index and d == t._dim - 1 then return r, places end
      return r, sort.spread_rows(Long, sort.result(Long, index, t), places, d)
   end
end

-- run(r, index, t, d, k): one element of each row along d, and its position: what pick(x, v, p, row, n, k) answers for
-- the row of n elements from x[row] on. `order` brought them into v, with their positions p; without it these are room
-- to work in.
function sort.one_of_rows(T, order, pick)
   return function(r, index, t, d, k)
      finish_trace()
      local from = sort.rows_of(T, t, d)
      local n, like = t._size[d], reduce_axis.reduced_shape(t, d, 1)
      local rows = count_of(t) / n
      local work, given = reduce_axis.begin(T, r, like, t)
      local places, given_index = reduce_axis.begin(Long, index, like, t)
      local values, positions = T.new_vector(rows * n), Long.new_vector(rows * n)
      local x, v, p = from._memory._data + from._offset, values._memory._data, positions._memory._data
      local to, at = work._memory._data + work._offset, places._memory._data + places._offset
      if order then order(x, v, p, rows, n, false) end
      for i = 0, rows - 1 do to[i], at[i] = pick(x, v, p, i * n, n, k) end
      buffers.alive(values, positions)
      buffers.alive(work, places, from)
      return reduce_axis.finish(T, work, given), reduce_axis.finish(Long, places, given_index)
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

-- Maxima and minima with their indices. See docs/decisions/0021-rows-beside-numpy.md.

local ceil, floor, max, min = math.ceil, math.floor, math.max, math.min
local require, tonumber = require, tonumber
local ffi = require 'ffi'
local reader = require('torch.base.element').reader
local geometry, buffers = require 'torch.base.geometry', require 'torch.memory.buffers'
local ufunc_loops, reduce_all = require 'torch.parallel.ufunc_loops', require 'torch.parallel.reduce_all'
local reduce_axis, types = require 'torch.kernels.reduce.reduce_axis', require 'torch.base.types'
local extreme_rows = require 'torch.kernels.reduce.extreme_rows'
local tree = require('torch.jit.unroll').tree
local contiguous, count_of, CUBE = geometry.contiguous, geometry.count, geometry.CUBE
local libc, template = require 'torch.native.libc', require 'torch.jit.template'
local native, finish_trace = require 'torch.native.native', require('torch.jit.trace').finish
local tuning = require 'torch.base.tuning'
local cast = ffi.cast
local byte_p = ffi.typeof 'uint8_t *'

local minmax = {}

function minmax.all(name, T, how)
   -- nan beats all.
   local best = reduce_all.by_loop(how.ufunc, T)
   local get, pair = reader(T), ffi.new(T.c .. '[2]')
   local function combine(a, b)
      pair[0], pair[1] = a, b
      return best(pair, 1, 2)
   end
   return function(t)
      reduce_axis.check_not_empty(name, t)
      if contiguous(t) then return (tonumber(best(t._memory._data + t._offset, 1, count_of(t)))) end
      return (tonumber(reduce_axis.runs_total(T, t, best, get(t._memory._data, t._offset), combine)))
   end
end

-- run(values, indices, data, rows, n): the best of each row and the index of the first of equals or the first nan:
local plain_source = [[
return function(values, indices, data, rows, n)
   for i = 0, rows - 1 do
      local x = data + i * n
      local best, at = get(x, 0), 0
      for k = 1, n - 1 do
         if best ~= best then break end
         local v = get(x, k)
         if not (v $sign best) then best, at = v, k end
      end
      values[i], indices[i] = best, at + 1
   end
end]]

local function make_plain(name, T, how)
   return template.compile(name, plain_source, { sign = how.sign }, { get = reader(T) })
end

-- Short rows are unrolled: a loop in the loop over rows would take longer than its work. There is no branch on an
-- element: each would start a separate trace, with all that the program does next.
local short_source = [[
return function(values, indices, data, rows, n)
   for i = 0, rows - 1 do
      local row = i * n
      $body
   end
end]]

-- The index is the least of numbers that are its own where an element is the best, and more than all indices elsewhere:
-- the least difference of two doubles, times LARGE twice, is more. Up to IN_REGISTERS elements are read once.
local fractions = [[
      $read
      local best = $best
      if $sum ~= $sum or best - best ~= 0 then
         plain(values + i, indices + i, data + row, 1, n)
      else
         local at = $index
         values[i], indices[i] = get(data, row + (at - 1)), at
      end]]
local MOST_FRACTIONS, IN_REGISTERS, LARGE = 32, tuning.EXTREME_REGISTERS, '1e300'

local function of_fractions(n, is_max)
   local read, element = '', 'get(data, row + %d)'
   if n <= IN_REGISTERS then
      read = ('local %s = %s'):format(tree('%s, %s', 'x%d', 0, n - 1), tree('%s, %s', element, 0, n - 1))
      element = 'x%d'
   end
   local index = ''
   for k = n - 1, 0, -1 do
      local difference = (is_max and '(best - %s)' or '(%s - best)'):format(element:format(k))
      local place = ('%d + min(%s * %s * %s, %d)'):format(k + 1, difference, LARGE, LARGE, n)
      index = k == n - 1 and place or ('min(%s, %s)'):format(index, place)
   end
   return template.fill('extremes', fractions, { read = read, best = tree('better(%s, %s)', element, 0, n - 1),
      sum = tree('(%s + %s)', element, 0, n - 1), index = index })
end

-- Integers and their index make one number; of equals the first is the best.
local integers = [[
      local best = $best
      local value = $round(best / $SCALE)
      values[i], indices[i] = value, $sign(best - value * $SCALE) + 1]]
local MOST_INTEGERS, SCALE = 16, 16

local function of_integers(n, is_max)
   local best = tree('better(%s, %s)', '<%d>', 0, n - 1):gsub('<(%d+)>', function(k)
      return ('get(data, row + %s) * %d %s %s'):format(k, SCALE, is_max and '-' or '+', k)
   end)
   return template.fill('extremes', integers, { best = best, round = is_max and 'ceil' or 'floor',
      sign = is_max and '-' or '', SCALE = SCALE })
end

local function make_short(name, T, how, n, plain)
   local is_max = how.sign == '<='
   return template.compile(name, short_source, { body = (T.integer and of_integers or of_fractions)(n, is_max) },
      { better = is_max and max or min, ceil = ceil, floor = floor, min = min, plain = plain,
         get = reader(T) })
end

-- Longer ones by NumPy's loops: the best, where elements equal it, and the first such index.
local long_source = [[
local function find(data, n, value)
   for start = 0, n - 1, BLOCK do
      local count = n - start
      if count > BLOCK then count = BLOCK end
      equal(data + start, $size, value, 0, mask, 1, count)
      local hit = cast(byte_p, C.t7_memchr(mask, 1, count))
      if hit ~= nil then return start + (hit - mask) end
   end
end

return function(values, indices, data, rows, n)
   for i = 0, rows - 1 do
      local x = data + i * n
      local best = best_of(x, 1, n)
      values[i] = best
      if best ~= best then
         plain(values + i, indices + i, x, 1, n)
      else
         local at = find(x, n, values + i)
         values[i], indices[i] = get(x, at), at + 1
      end
   end
end]]

local BLOCK = tuning.INDEX_BLOCK

-- run(n) -> the function for rows of n elements.
local function make_rows(name, T, how)
   local plain = make_plain(name, T, how)
   local long = template.compile(name, long_source, { size = T.size }, { best_of = reduce_all.by_loop(how.ufunc, T),
      equal = ufunc_loops.get('equal', T, T, 'bool'), mask = ffi.new('uint8_t[?]', BLOCK), BLOCK = BLOCK, plain = plain,
      C = libc, cast = cast, byte_p = byte_p, get = reader(T) })
   local short, most = {}, T.integer and MOST_INTEGERS or MOST_FRACTIONS
   return function(n)
      -- LuaJIT has no choice between 64-bit integers that is free of branches.
      if T.name == 'Long' then return n < 5 and plain or long end
      if n > most then return long end
      short[n] = short[n] or make_short(name, T, how, n, plain)
      return short[n]
   end
end

-- Columns, `step` elements from row to row, need no transposed copy: NumPy finds the best of all of them at once, and
-- then a row of flags tells which of them are in each row. A column that was found is sought no more.
local columns_source = [[
local function block(values, indices, x, n, step, count)
   copy(values, x, count * $size)
   for k = 1, n - 1 do run(values, $size, x + k * step, $size, values, $size, count) end
   copy(sought, values, count * $size)
   fill(found, count)
   local left, k = count, 0
   while left > 0 and k < n do
      local row = x + k * step
      equal(row, $size, sought, $size, mask, 1, count)
      local hit = cast(byte_p, C.t7_memchr(mask, 1, count))
      while hit ~= nil do
         local i = hit - mask
         if found[i] == 0 then
            local value = get(row, i)
            values[i], indices[i], sought[i], found[i] = value, k + 1, $nothing, 1
            left = left - 1
         end
         hit = cast(byte_p, C.t7_memchr(hit + 1, 1, count - 1 - i))
      end
      k = k + 1
   end
   return left
end

-- The first nan of the columns that have one.
local function find_nan(values, indices, x, n, step, count)
   for i = 0, count - 1 do
      local k = 0
      while found[i] == 0 and k < n do
         local value = get(x, k * step + i)
         if value ~= value then values[i], indices[i], found[i] = value, k + 1, 1 end
         k = k + 1
      end
   end
end

return function(values, indices, data, outer, n, step, inner)
   for o = 0, outer - 1 do
      for start = 0, inner - 1, BLOCK do
         local count = inner - start < BLOCK and inner - start or BLOCK
         local at, x = o * inner + start, data + o * n * inner + start
         if block(values + at, indices + at, x, n, step, count) > 0 then
            find_nan(values + at, indices + at, x, n, step, count)
         end
      end
   end
end]]

local function make_columns(name, T, how)
   local nothing = not T.integer and '0 / 0' or how.sign == '<=' and 'value + 1' or 'value - 1'
   return template.compile(name, columns_source, { size = T.size, nothing = nothing }, {
      run = native.loop_alone(how.ufunc, T, T, T), equal = native.loop_alone('equal', T, T, 'bool'),
      get = reader(T), C = libc, cast = cast,
      copy = ffi.copy, fill = ffi.fill, byte_p = byte_p, BLOCK = BLOCK, sought = native.buffer(T.c, BLOCK),
      mask = native.buffer('uint8_t', BLOCK), found = native.buffer('uint8_t', BLOCK) })
end

-- Minimum number of elements, and of columns, for which that is faster than a copy; columns for machine code.
local COLUMNS_COUNT, COLUMNS, CODE_COLUMNS = tuning.EXTREME_COUNT, tuning.EXTREME_COLUMNS, 4

-- Tells whether the dimensions after d, or the other dimension of a matrix, are contiguous in memory.
local function has_columns(T, t, d, has_code)
   if T.name == 'Long' or not has_code and count_of(t) < COLUMNS_COUNT then return false end
   local least = has_code and CODE_COLUMNS or COLUMNS
   if t._dim == 2 then return t._stride[1 - d] == 1 and t._size[1 - d] >= least and t._size[d] > 1 end
   if d == t._dim - 1 or not contiguous(t) then return false end
   return t._stride[d] >= least and t._size[d] > 1
end

-- One row of a few elements, without branches on which of them is the best: run(values, indices, data, n).
local row_source = [[
return function(values, indices, data, n)
   local best = best_of(data, 1, n)
   values[0] = best
   if best ~= best then return plain(values, indices, data, 1, n) end
   equal(data, $size, values, 0, mask, 1, n)
   local at = cast(byte_p, C.t7_memchr(mask, 1, n)) - mask
   values[0], indices[0] = get(data, at), at + 1
end]]

local function make_row(name, T, how)
   return template.compile(name, row_source, { size = T.size }, { best_of = reduce_all.by_loop(how.ufunc, T),
      equal = native.loop_alone('equal', T, T, 'bool'),
      get = reader(T), mask = native.buffer('uint8_t', T.SMALL), C = libc, cast = cast,
      byte_p = byte_p, plain = make_plain(name, T, how) })
end

-- Longer rows have indices that a Float may not hold.
local LONGEST = 2 ^ 24

function minmax.along(name, T, how)
   local rows_run, row_run, columns_run = make_rows(name, T, how), nil, nil
   local code_rows, code_columns = extreme_rows(T, how.sign, make_plain(name, T, how))
   local shortest = 32 / T.size
   local Long = types.by_name.Long
   return function(r, index, t, dim)
      local d = reduce_axis.dimension_of(name, t, dim)
      if not r and not index and t._layout > 0 and t._layout < CUBE and t._count == t._size[d]
         and t._count <= T.SMALL then
         -- A row that is all of a vector or of a contiguous matrix.
         row_run = row_run or make_row(name, T, how)
         if t._dim == 1 then
            r, index = T.new_vector(1), Long.new_vector(1)
         else
            r, index = T.new_matrix(1, 1), Long.new_matrix(1, 1)
         end
         row_run(r._memory._data, index._memory._data, t._memory._data + t._offset, t._count)
         buffers.alive(t, r, index)
         return r, index
      end
      local like = reduce_axis.reduced_shape(t, d, 1)
      local work, given = reduce_axis.begin(T, r, like, t)
      local indices, given_index = reduce_axis.begin(Long, index, like, t)
      local to, indices_to = work._memory._data + work._offset, indices._memory._data + indices._offset
      if has_columns(T, t, d, code_columns) then
         columns_run = columns_run or code_columns or make_columns(name, T, how)
         local _, outer, _, n, step, inner = reduce_axis.three_loops(T, t, d)
         finish_trace()
         columns_run(to, indices_to, t._memory._data + t._offset, outer, n, step, inner)
         buffers.alive(work, indices, t)
      else
         local rows = reduce_axis.rows_of(T, t, d)
         finish_trace()
         local n = t._size[d]
         local run = code_rows and n >= shortest and n <= LONGEST and code_rows or rows_run(n)
         run(to, indices_to, rows._memory._data + rows._offset, count_of(work), n)
         buffers.alive(work, indices, rows)
      end
      return T.result(given, work), Long.result(given_index, indices)
   end
end

return minmax

-- The largest and the smallest elements, with their positions.

local loadstring, require, tonumber = loadstring, require, tonumber
local ffi = require 'ffi'
local geometry, memory, native = require 'torch.geometry', require 'torch.memory', require 'torch.native'
local reduce, types = require 'torch.reduce', require 'torch.types'
local contiguous, count_of = geometry.contiguous, geometry.count

require('torch.c').declare 'void *memchr(const void *block, int value, size_t count);'
local C, cast = ffi.C, ffi.cast
local byte_p = ffi.typeof 'uint8_t *'

local extreme = {}

-- The best of n elements by NumPy's loop; nan beats all.
local function best_of(T, how)
   local run, best, size = native.loop(how.ufunc, T, T, T), ffi.new(T.c .. '[1]'), T.size
   return function(data, step, n)
      best[0] = data[0]
      run(best, 0, data, step * size, best, 0, n)
      return best[0]
   end
end

function extreme.all(name, T, how)
   local best = best_of(T, how)
   local pair = ffi.new(T.c .. '[2]')
   local function combine(a, b)
      pair[0], pair[1] = a, b
      return best(pair, 1, 2)
   end
   return function(t)
      reduce.check_not_empty(name, t)
      if contiguous(t) then return tonumber(best(t._memory._data + t._offset, 1, count_of(t))) end
      return tonumber(reduce.runs_total(t, best, t._memory._data[t._offset], combine))
   end
end

-- The position of the first of equals, or of the first nan, as Torch7 answers it: short rows in one pass,
-- long ones by NumPy's loops: the best, where elements equal it, and the first such place.
local extreme_source = [[
local best_of, equal, mask, BLOCK, C, cast, byte_p = ...

local function short(data, n)
   local best, at = data[0], 0
   if best ~= best then return best, at end
   for i = 1, n - 1 do
      local v = data[i]
      if not (v $sign best) then
         best, at = v, i
         if v ~= v then return best, at end
      end
   end
   return best, at
end

local function long(data, n, value)
   local best = best_of(data, 1, n)
   value[0] = best
   if best ~= best then return short(data, n) end
   for start = 0, n - 1, BLOCK do
      local count = n - start
      if count > BLOCK then count = BLOCK end
      equal(data + start, $size, value, 0, mask, 1, count)
      local hit = cast(byte_p, C.t7_memchr(mask, 1, count))
      if hit ~= nil then return best, start + (hit - mask) end
   end
end

return function(values, places, data, rows, n)
   if n < 12 then
      for i = 0, rows - 1 do
         local best, at = short(data + i * n, n)
         values[i], places[i] = best, at + 1
      end
   else
      for i = 0, rows - 1 do
         local best, at = long(data + i * n, n, values + i)
         values[i], places[i] = best, at + 1
      end
   end
end]]

local BLOCK = 1024

function extreme.along(name, T, how)
   local source = extreme_source:gsub('%$(%w+)', { sign = how.sign, size = T.size })
   local run = loadstring(source, '=t7 ' .. name)(best_of(T, how), native.loop('equal', T, T, 'bool'),
      ffi.new('uint8_t[?]', BLOCK), BLOCK, C, cast, byte_p)
   local Long = types.by_name.Long
   return function(r, index, t, dim)
      local d = reduce.dimension_of(name, t, dim)
      local like = reduce.reduced_shape(t, d, 1)
      local work, given = reduce.begin(T, r, like, t)
      local places, given_index = reduce.begin(Long, index, like, t)
      local rows = reduce.rows_of(T, t, d)
      run(work._memory._data + work._offset, places._memory._data + places._offset,
         rows._memory._data + rows._offset, count_of(work), t._size[d])
      memory.alive(rows, work, places)
      return reduce.finish(T, work, given), reduce.finish(Long, places, given_index)
   end
end

return extreme

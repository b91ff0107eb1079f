-- Single elements: reading and writing them by type, and converting runs of them between types.

local loadstring, setmetatable, tonumber, type = loadstring, setmetatable, tonumber, type
local huge, min = math.huge, math.min
local ffi = require 'ffi'
local C = require 'torch.core.cdef'
local half = require 'torch.core.half'

local element = {}
local from_half, to_half = half.to_number, half.from_number

-- Code is made per type, so that each place of use compiles on its own.
local function make(source, ...) return loadstring(source, '=t7 element')(...) end

-- get(data, i): the number at position i of a pointer.
function element.getter(T)
   if T.name == 'Half' then
      return make('local f = ... return function(data, i) return (f(data[i])) end', from_half)
   elseif T.name == 'Long' then
      return make('local f = ... return function(data, i) return (f(data[i])) end', tonumber)
   end
   return make('return function(data, i) return data[i] end')
end

-- set(data, i, number): C's conversion: truncated towards zero, wrapped to the width. Of a sum that is stored as an
-- int32_t or less, LuaJIT converts the summands: 3 + -0.5 would become 3 + 0. So what is stored is no sum.
function element.setter(T)
   if T.name == 'Half' then
      return make('local f = ... return function(data, i, v) data[i] = f(v) end', to_half)
   elseif T.integer and T.name ~= 'Long' then
      return make('local min, huge = ... return function(data, i, v) data[i] = min(v, huge) end', min, huge)
   end
   return make('return function(data, i, v) data[i] = v end')
end

-- convert(value): the number to store for a Lua value, nil when there is none. Integer types take any
-- string, as Torch7's did: what does not read as a number is 0.
function element.converter(T)
   if T.integer then
      return function(value)
         local kind = type(value)
         if kind == 'number' then return value end
         if kind == 'string' then return tonumber(value) or 0 end
      end
   end
   return function(value)
      local kind = type(value)
      if kind == 'number' then return value end
      if kind == 'string' then return (tonumber(value)) end
   end
end

-- What turns a number into one of a fractional type: the result of a step of C's arithmetic in that type.
function element.rounder(T)
   if T.name ~= 'Float' then return function(number) return number end end
   local single = ffi.new 'float[1]'
   return function(number)
      single[0] = number
      return single[0]
   end
end

-- A few elements are written out: a loop would keep the loop around the call from being compiled as one trace.
local loop = [[
local from_half, to_half, number = ...
return function(to, to_step, from, from_step, count)
   if to_step ~= 1 or from_step ~= 1 then
      for i = 0, count - 1 do to[i * to_step] = $f(from[i * from_step]) end
   elseif count > 31 then
      for i = 0, count - 1 do to[i] = $f(from[i]) end
   else
      if count > 15 then
         to[0], to[1], to[2], to[3] = $f(from[0]), $f(from[1]), $f(from[2]), $f(from[3])
         to[4], to[5], to[6], to[7] = $f(from[4]), $f(from[5]), $f(from[6]), $f(from[7])
         to[8], to[9], to[10], to[11] = $f(from[8]), $f(from[9]), $f(from[10]), $f(from[11])
         to[12], to[13], to[14], to[15] = $f(from[12]), $f(from[13]), $f(from[14]), $f(from[15])
         to, from, count = to + 16, from + 16, count - 16
      end
      if count > 7 then
         to[0], to[1], to[2], to[3] = $f(from[0]), $f(from[1]), $f(from[2]), $f(from[3])
         to[4], to[5], to[6], to[7] = $f(from[4]), $f(from[5]), $f(from[6]), $f(from[7])
         to, from, count = to + 8, from + 8, count - 8
      end
      if count > 3 then
         to[0], to[1], to[2], to[3] = $f(from[0]), $f(from[1]), $f(from[2]), $f(from[3])
         to, from, count = to + 4, from + 4, count - 4
      end
      if count > 1 then
         to[0], to[1] = $f(from[0]), $f(from[1])
         to, from, count = to + 2, from + 2, count - 2
      end
      if count > 0 then to[0] = $f(from[0]) end
   end
end]]

-- Rows of a matrix whose elements follow each other on both sides: moved, unless they are written while they are
-- read, or converted.
local moved_rows = [[
   elseif to_step == 1 and from_step == 1 and count > 7 and (to - from <= 0 or to - from >= count) then
      for _ = 1, rows do
         memmove(to, from, count * $size)
         to, from = to + to_row, from + from_row
      end
      return]]
local converted_rows = [[
   elseif to_step == 1 and from_step == 1 and count > 31 then
      for _ = 1, rows do
         for i = 0, count - 1 do to[i] = $f(from[i]) end
         to, from = to + to_row, from + from_row
      end
      return]]

-- A loop for each number of columns below eight. Whoever leaves a compiled loop and comes back pays for new pointers.
local narrow_rows = ''
for columns = 1, 7 do
   local row = 'p[0] = $f(q[0])'
   for k = 1, columns - 1 do row = row .. (' p[%d * to_step] = $f(q[%d * from_step])'):format(k, k) end
   narrow_rows = narrow_rows .. ([[
   elseif left == %d then
      for _ = 1, rows do %s p, q = p + to_row, q + from_row end
]]):format(columns, row)
end

-- The loop for a pair of types, made when it is first needed.
local function make_loop(template, T, S)
   local f = ''
   if T.name ~= S.name and S.name == 'Half' then f = 'from_half'
   elseif T.name ~= S.name and T.name == 'Half' then f = 'to_half'
   -- LuaJIT 2.1 compiles a store of an int64 into a float wrongly; by way of a double it is right.
   elseif T.name == 'Float' and S.name == 'Long' then f = 'number' end
   local to_bits = S.name == 'Long' and function(v) return to_half(tonumber(v)) end or to_half
   local rows = T.name == S.name and moved_rows:gsub('%$size', T.size) or converted_rows
   local source = template:gsub('%$whole_rows', rows):gsub('%$narrow_rows', narrow_rows):gsub('%$f', f)
   return make(source, from_half, to_bits, tonumber, C.t7_memmove)
end

local function table_of_loops(template)
   return setmetatable({}, { __index = function(all, T)
      all[T] = setmetatable({}, { __index = function(row, S)
         row[S] = make_loop(template, T, S)
         return row[S]
      end })
      return all[T]
   end })
end

-- Rows of a matrix between two layouts. Tiny matrices are written out: a loop would keep the code around it from being
-- compiled as one trace. Where one layout is the other transposed, strips of eight columns are read along their memory
-- and written along theirs; what is left are narrow rows.
local matrix_loop = [[
local from_half, to_half, number, memmove = ...

-- A row of up to seven elements, one after the other: the two sides may have elements in common.
local function short_row(to, to_step, from, from_step, count)
   if count > 3 then
      to[0] = $f(from[0])
      to[to_step] = $f(from[from_step])
      to[2 * to_step] = $f(from[2 * from_step])
      to[3 * to_step] = $f(from[3 * from_step])
      to, from, count = to + 4 * to_step, from + 4 * from_step, count - 4
   end
   if count > 1 then
      to[0] = $f(from[0])
      to[to_step] = $f(from[from_step])
      to, from, count = to + 2 * to_step, from + 2 * from_step, count - 2
   end
   if count > 0 then to[0] = $f(from[0]) end
end

-- Up to seven such rows.
local function short_rows(to, to_step, to_row, from, from_step, from_row, count, rows)
   if rows > 3 then
      short_row(to, to_step, from, from_step, count)
      short_row(to + to_row, to_step, from + from_row, from_step, count)
      short_row(to + 2 * to_row, to_step, from + 2 * from_row, from_step, count)
      short_row(to + 3 * to_row, to_step, from + 3 * from_row, from_step, count)
      to, from, rows = to + 4 * to_row, from + 4 * from_row, rows - 4
   end
   if rows > 1 then
      short_row(to, to_step, from, from_step, count)
      short_row(to + to_row, to_step, from + from_row, from_step, count)
      to, from, rows = to + 2 * to_row, from + 2 * from_row, rows - 2
   end
   if rows > 0 then short_row(to, to_step, from, from_step, count) end
end

return function(to, to_step, to_row, from, from_step, from_row, count, rows)
   if count < 8 and rows < 8 then
      return short_rows(to, to_step, to_row, from, from_step, from_row, count, rows)
   end
   local c = 0
   if to_step == 1 and from_row == 1 and count > 7 then
      -- Numbers, not pointers, go from row to row: where a compiled loop is left and entered again, pointers would be
      -- made anew.
      while c < count - 7 do
         local start = c * from_step
         for r = 0, rows - 1 do
            local p, a0 = to + (c + r * to_row), from + (start + r)
            local a1, a2, a3 = a0 + from_step, a0 + 2 * from_step, a0 + 3 * from_step
            local a4, a5, a6, a7 = a0 + 4 * from_step, a0 + 5 * from_step, a0 + 6 * from_step, a0 + 7 * from_step
            p[0], p[1], p[2], p[3] = $f(a0[0]), $f(a1[0]), $f(a2[0]), $f(a3[0])
            p[4], p[5], p[6], p[7] = $f(a4[0]), $f(a5[0]), $f(a6[0]), $f(a7[0])
         end
         c = c + 8
      end
$whole_rows
   end
   local left, p, q = count - c, to + c * to_step, from + c * from_step
   if left > 7 then
      local column = 0
      for _ = 1, left * rows do
         p[0] = $f(q[0])
         column = column + 1
         if column < left then
            p, q = p + to_step, q + from_step
         else
            column = 0
            p, q = p + (to_row - (left - 1) * to_step), q + (from_row - (left - 1) * from_step)
         end
      end
$narrow_rows
   end
end]]

local loops, matrix_loops = table_of_loops(loop), table_of_loops(matrix_loop)

-- f(to, to_step, from, from_step, count): copies elements from type S to type T; steps are in elements. Ranges of one
-- type may overlap.
function element.loop(T, S) return loops[T][S] end

-- f(to, to_step, to_row, from, from_step, from_row, count, rows): rows x count elements between two layouts.
function element.matrix_loop(T, S) return matrix_loops[T][S] end

return element

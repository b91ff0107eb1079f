-- The loops of pooling for one element type, generated for the rows and columns of a window that one loop takes, so
-- that a window is straight-line code without branches on data: the index of a maximum follows from its differences to
-- the elements, the first of which that is 0 counts.

return function(T)

local concat, format, gsub = table.concat, string.format, string.gsub
local ceil, floor, loadstring, max, min, tonumber = math.ceil, math.floor, loadstring, math.max, math.min, tonumber

local pooling_loops = {}

-- Most elements of a window per loop.
local MOST = 16

-- Loops read elements directly if all were checked; careful ones use `get`, which takes half as long again.
local get = require('torch.base.element').getter(T)

-- Rows of a window start at x0, x1, ...; its elements are v0, v1, ... All planes have the same windows.
local source = [[
local max, min, ceil, tonumber, get = ...
return function(planes, area, n, x, at, tap, step, first, y, index, divisor)
   for p = 0, planes - 1 do
      local plane, out, indices = x + p * area, y + p * n, index + p * n
%s
      for q = 0, n - 1 do
         local o = at[q]
%s
      end
   end
end]]

-- Lines or expressions for 0 to n - 1, with # for the number.
local function each(n, line, separator)
   local list = {}
   for i = 1, n do list[i] = gsub(line, '#', i - 1) end
   return concat(list, separator or '\n')
end

-- The maximum of v<from> to v<to> as a balanced tree.
local function maximum(from, to)
   if from == to then return 'v' .. from end
   local half = from + floor((to - from) / 2)
   return format('max(%s, %s)', maximum(from, half), maximum(half + 1, to))
end

local function element(care, pointer, i) return format(care and 'get(%s, %s)' or '%s[%s]', pointer, i) end

local function elements(rows, columns, apart, care)
   local list = { each(rows, '         local p# = x# + o') }
   for i = 0, rows * columns - 1 do
      list[i + 2] = format('         local v%d = ', i) .. element(care, 'p' .. floor(i / columns), i % columns * apart)
   end
   return concat(list, '\n')
end

-- The offset of the first element that equals m.
local function offset(rows, columns, apart)
   local text = '0'
   for i = rows * columns - 2, 0, -1 do
      local j = i + 1
      local step = j % columns == 0 and 's' .. j / columns or apart
      text = format('min(ceil(m - v%d), 1) * (%s + %s)', i, step, text)
   end
   return text
end

local function beginnings(rows, columns)
   local list = {}
   for r = 0, rows - 1 do
      list[#list + 1] = format('      local x%d = plane + tap[%d]', r, r * columns)
      if r > 0 then
         list[#list + 1] = format('      local s%d = step[%d] - step[%d]', r, r * columns, r * columns - 1)
      end
   end
   return concat(list, '\n')
end

local kinds = {}

local function maxima(rows, columns, apart, ending)
   return format(source, beginnings(rows, columns) .. '\n      local from = step[0]',
      elements(rows, columns, apart) .. format([[

         local m = %s
         local i = first[q] + from + %s]], maximum(0, rows * columns - 1), offset(rows, columns, apart)) .. ending)
end

function kinds.max(rows, columns, apart)
   return maxima(rows, columns, apart, [[

         out[q] = m
         indices[q] = i]])
end

-- The index of a later part of a window replaces an earlier one if its maximum is larger.
function kinds.more_max(rows, columns, apart)
   return maxima(rows, columns, apart, [[

         local best, found = out[q], tonumber(indices[q])
         out[q] = max(m, best)
         indices[q] = found + min(ceil(max(m - best, 0)), 1) * (i - found)]])
end

local function sums(rows, columns, apart, care, result)
   return format(source, beginnings(rows, columns),
      elements(rows, columns, apart, care) .. '\n         ' .. format(result, each(rows * columns, 'v#', ' + ')))
end

-- Sums in element order; averages if one loop takes the whole window.
function kinds.sum(rows, columns, apart, care) return sums(rows, columns, apart, care, 'out[q] = %s') end
function kinds.more_sum(rows, columns, apart, care)
   return sums(rows, columns, apart, care, 'out[q] = ' .. element(care, 'out', 'q') .. ' + %s')
end
function kinds.average(rows, columns, apart, care, by)
   return sums(rows, columns, apart, care, 'out[q] = (%s) ' .. by .. ' divisor[q]')
end

function kinds.spread(rows, columns, apart, _, by)
   local list = { each(rows, '         local p# = x# + o'), '         local g = get(out, q) ' .. by .. ' divisor[q]' }
   for i = 0, rows * columns - 1 do
      local to = element(false, 'p' .. floor(i / columns), i % columns * apart)
      list[#list + 1] = format('         %s = %s + g', to, to)
   end
   return format(source, beginnings(rows, columns), concat(list, '\n'))
end

local made = { max = {}, more_max = {}, sum = {}, more_sum = {}, average = {}, spread = {} }

local function loop(kind, rows, columns, apart, care, factors)
   local known = made[kind]
   local key = (((apart * MOST + rows) * MOST + columns) * 2 + factors) * (care and -1 or 1)
   local f = known[key]
   if not f then
      local name = format('=t7 nn.pooling %s %dx%d', kind, rows, columns)
      local text = kinds[kind](rows, columns, apart, care, factors == 1 and '*' or '/')
      f = loadstring(text, name)(max, min, ceil, tonumber, get)
      known[key] = f
   end
   return f
end

-- The loop of a kind for the elements of windows from number `from` on, some rows or a part of a row, and the number of
-- elements that it takes.
function pooling_loops.part(w, from, kind, care)
   local taps, columns = w.taps, w.columns
   local rows = floor(MOST / columns)
   if rows == 0 then
      rows, columns = 1, min(MOST, columns - from % columns)
   else
      rows = min(rows, (taps - from) / columns)
   end
   return loop(kind, rows, columns, w.apart, care, w.factors), rows * columns
end

-- Tells whether one loop takes a whole window.
function pooling_loops.single(w) return w.taps <= MOST end

return pooling_loops
end

-- Pooling of planes of one element type. Loops have no branches on data: where a maximum is follows from its
-- differences to the elements, of which the first 0 counts. That needs finite numbers: planes with others are done
-- with care. Runs in the main state and in workers: all that it needs is in one C struct.

return function(T)

local concat, format = table.concat, string.format
local ceil, max, min, loadstring, tonumber = math.ceil, math.max, math.min, loadstring, tonumber
local huge = math.huge
local ffi = require 'ffi'
local cast, copy, fill = ffi.cast, ffi.copy, ffi.fill
local SIZE, p_t = T.size, T.pointer_ct
local index_t = ffi.typeof 'int64_t *'
local dot_t = ffi.typeof((('$ (*)(int *, $ *, int *, $ *, int *)'):gsub('%$', T.c)))

local kernels = {}

-- Elements of a window that one loop takes.
local MOST = 16

-- Lines of generated code for elements 1 to n of a list, # standing for their number from 0.
local function each(n, line, separator)
   local list = {}
   for i = 1, n do list[i] = (line:gsub('#', i - 1)) end
   return concat(list, separator or '\n')
end

-- The expression of a maximum or sum of v0 to v(n - 1), as a balanced tree or from the left.
local function maximum(from, to)
   if from == to then return 'v' .. from end
   local half = from + (to - from - (to - from) % 2) / 2
   return format('max(%s, %s)', maximum(from, half), maximum(half + 1, to))
end

-- How many elements come before the first that equals m, in steps: s1 where v0 does not, and so on.
local function place(n)
   local text = '0'
   for i = n - 2, 0, -1 do text = format('min(ceil(m - v%d), 1) * (s%d + %s)', i, i + 1, text) end
   return text
end

local sources = {
   max = [[
local max, min, ceil, tonumber = ...
return function(n, x, at, tap, step, first, y, index, from)
%s
   for q = 0, n - 1 do
      local o = at[q]
%s
      local m = %s
      local i = first[q] + from + %s
%s
   end
end]],
   begin_max = '      y[q] = m\n      index[q] = i',
   -- A later part of a window takes the place of an earlier one where it is larger.
   more_max = [[
      local best, place = y[q], tonumber(index[q])
      y[q] = max(m, best)
      index[q] = place + min(ceil(max(m - best, 0)), 1) * (i - place)]],
   sum = [[
return function(n, x, at, tap, divisor, y)
%s
   for q = 0, n - 1 do
      local o = at[q]
      y[q] = %s
   end
end]],
   spread = [[
return function(n, x, at, tap, divisor, y)
%s
   for q = 0, n - 1 do
      local o, g = at[q], y[q] / divisor[q]
%s
   end
end]],
}

local made = {}

local function compiled(kind, n, source, ...)
   local key = kind .. n
   if not made[key] then made[key] = loadstring(source(n), '=t7 nn.pooling ' .. key)(...) end
   return made[key]
end

local function pointers(n) return each(n, '   local x# = x + tap[#]') end
local function values(n) return each(n, '      local v# = x#[o]') end

local function max_source(n, ending)
   local steps = {}
   for i = 1, n - 1 do steps[i] = format('   local s%d = step[%d] - step[%d]', i, i, i - 1) end
   local head = pointers(n) .. '\n' .. concat(steps, '\n')
   return format(sources.max, head, values(n), maximum(0, n - 1), place(n), ending)
end
local function begin_max(n) return max_source(n, sources.begin_max) end
local function more_max(n) return max_source(n, sources.more_max) end

-- Sums in order, as windows were read.
local function begin_sum(n) return format(sources.sum, pointers(n), each(n, 'x#[o]', ' + ')) end
local function more_sum(n) return format(sources.sum, pointers(n), 'y[q] + ' .. each(n, 'x#[o]', ' + ')) end
local function spread(n) return format(sources.spread, pointers(n), each(n, '      x#[o] = x#[o] + g')) end

local ZEROS = 4096
local zeros, count, one = ffi.new(T.c .. '[?]', ZEROS), ffi.new 'int[1]', ffi.new('int[1]', 1)

-- Whether all elements are finite numbers: 0 times any other is nan.
local function finite(g, x, n)
   local dot, sum = cast(dot_t, g.dot), 0
   for from = 0, n - 1, ZEROS do
      count[0] = min(n - from, ZEROS)
      sum = sum + dot(count, x + from, one, zeros, one)
   end
   return sum == 0
end

-- Where windows are read from: the plane, or its copy within margins.
local function source(w, x, padded)
   if w.padded == 0 then return x end
   local from, to, bytes = w.row_from, w.row_to, w.width * SIZE
   for r = 0, w.lines - 1 do copy(padded + to[r], x + from[r], bytes) end
   return padded
end

local function max_plane(w, x, y, index)
   local n, taps = w.outputs, w.taps
   for from = 0, taps - 1, MOST do
      local m = min(taps - from, MOST)
      local f = from == 0 and compiled('max', m, begin_max, max, min, ceil, tonumber)
         or compiled('more max', m, more_max, max, min, ceil, tonumber)
      f(n, x, w.at, w.tap + from, w.step + from, w.place, y, index, w.step[from])
   end
end

-- The least finite number, and the index, of windows without a larger one.
local LEAST = T.name == 'Double' and -1.7976931348623157e308 or -3.4028234663852886e38

-- Comparisons in order, as nan never is larger.
local function max_with_care(w, x, y, index)
   local none = w.relative == 1 and -1 or 0
   for q = 0, w.outputs - 1 do
      local best, found = LEAST, none
      for i = 0, w.taps - 1 do
         local v = x[w.at[q] + w.tap[i]]
         if v > best then best, found = v, w.place[q] + w.step[i] end
      end
      y[q] = best
      index[q] = found
   end
end

local function sum_plane(w, x, y)
   for from = 0, w.taps - 1, MOST do
      local m = min(w.taps - from, MOST)
      local f = from == 0 and compiled('sum', m, begin_sum) or compiled('more sum', m, more_sum)
      f(w.outputs, x, w.at, w.tap + from, w.divisor, y)
   end
end

-- Margins of the copies of planes, once: -inf for maxima, 0 for sums.
local function margins(w, padded, value)
   if value == 0 then
      fill(padded, w.padded * SIZE)
   else
      for i = 0, w.padded - 1 do padded[i] = value end
   end
end

-- The maxima of one plane, which may be a padded one.
local function max_one(g, w, plane, from, y, index)
   if finite(g, plane, w.area) then max_plane(w, from, y, index) else max_with_care(w, from, y, index) end
end
kernels.max_one = max_one

function kernels.max(g, w, x, y, index, padded, planes)
   margins(w, padded, -huge)
   for p = 0, planes - 1 do
      local plane = x + p * w.area
      max_one(g, w, plane, source(w, plane, padded), y + p * w.outputs, index + p * w.outputs)
   end
end

function kernels.average(_, w, x, y, _, padded, planes)
   margins(w, padded, 0)
   local outputs, divisor = w.outputs, w.divisor
   for p = 0, planes - 1 do
      local out = y + p * outputs
      sum_plane(w, source(w, x + p * w.area, padded), out)
      for q = 0, outputs - 1 do out[q] = out[q] / divisor[q] end
   end
end

-- Gives each element of a window its part of the gradient.
function kernels.spread(_, w, x, y, _, padded, planes)
   local whole = w.padded > 0
   for p = 0, planes - 1 do
      local plane = x + p * w.area
      local to = whole and padded or plane
      fill(to, (whole and w.padded or w.area) * SIZE)
      for from = 0, w.taps - 1, MOST do
         local m = min(w.taps - from, MOST)
         compiled('spread', m, spread)(w.outputs, to, w.at, w.tap + from, w.divisor, y + p * w.outputs)
      end
      if whole then
         fill(plane, w.area * SIZE)
         local from, back, bytes = w.row_to, w.row_from, w.width * SIZE
         for r = 0, w.lines - 1 do copy(plane + back[r], padded + from[r], bytes) end
      end
   end
end

-- Adds gradients to the places of the maxima; false when a place is none. Places of 0 are those of windows without any
-- maximum.
function kernels.max_back(_, w, x, y, index, _, planes)
   local area, outputs = w.area, w.outputs
   local wrong = 0
   for p = 0, planes - 1 do
      local plane, out, places = x + p * area, y + p * outputs, index + p * outputs
      fill(plane, area * SIZE)
      for q = 0, outputs - 1 do
         local i = tonumber(places[q]) - 1
         if i >= 0 and i < area then
            plane[i] = plane[i] + out[q]
         elseif i ~= -1 then
            wrong = wrong + 1
         end
      end
   end
   return wrong
end

-- The same of places that are numbers of elements of the window, `width` elements apart.
function kernels.relative_back(_, w, x, y, index, _, planes)
   local area, outputs, position, apart, taps = w.area, w.outputs, w.position, w.tap, w.taps
   local wrong = 0
   for p = 0, planes - 1 do
      local plane, out, places = x + p * area, y + p * outputs, index + p * outputs
      fill(plane, area * SIZE)
      for q = 0, outputs - 1 do
         local i = tonumber(places[q])
         if i >= 0 and i < taps then
            local at = position[q] + apart[i]
            plane[at] = plane[at] + out[q]
         elseif i ~= -1 then
            wrong = wrong + 1
         end
      end
   end
   return wrong
end

-- y at the places of x becomes x, all else 0: the inverse of maxima; and what it takes back.
function kernels.unpool(x, y, index, planes, outputs, area)
   local wrong = 0
   fill(y, planes * area * SIZE)
   for p = 0, planes - 1 do
      local plane, out, places = y + p * area, x + p * outputs, index + p * outputs
      for q = 0, outputs - 1 do
         local i = tonumber(places[q]) - 1
         if i >= 0 and i < area then plane[i] = out[q] else wrong = wrong + 1 end
      end
   end
   return wrong
end

function kernels.unpool_back(x, y, index, planes, outputs, area)
   local wrong = 0
   for p = 0, planes - 1 do
      local plane, out, places = y + p * area, x + p * outputs, index + p * outputs
      for q = 0, outputs - 1 do
         local i = tonumber(places[q]) - 1
         if i >= 0 and i < area then out[q] = plane[i] else wrong = wrong + 1 end
      end
   end
   return wrong
end

local WHAT = { [0] = kernels.max, kernels.average, kernels.spread, kernels.max_back, kernels.relative_back }

local room, size = nil, 0

-- Memory of this state for a plane with margins.
local function memory(n)
   if n > size then room, size = ffi.new(T.c .. '[?]', n), n end
   return cast(p_t, room)
end

-- Works on the planes `from` to `to` - 1; `wrong` is set when a place was none.
function kernels.run(g, from, to)
   local w = g.windows
   local x, y = cast(p_t, g.x) + from * w.area, cast(p_t, g.y) + from * w.outputs
   local index = cast(index_t, g.index) + (g.index ~= nil and from * w.outputs or 0)
   local wrong = WHAT[g.what](g, w, x, y, index, memory(w.padded), to - from)
   if wrong and wrong > 0 then g.wrong = 1 end
end

return kernels
end

-- Pooling of planes of one element type, with the loops of loops.lua. Those of maxima need finite numbers: planes with
-- others are done with care. Nobody else writes meanwhile to the input or to results (k.steady, k.own).
-- Runs in the main state and in workers: all that it needs is in one C struct.

return function(T, loops)

local min, tonumber = math.min, tonumber
local huge = math.huge
local ffi, template = require 'ffi', require 'torch.jit.template'
local cast, copy, fill = ffi.cast, ffi.copy, ffi.fill
local SIZE, p_t, byte_p = T.size, T.pointer_ct, ffi.typeof 'char *'
local index_t = ffi.typeof 'int64_t *'
local dot_t = ffi.typeof((('$ (*)(int *, $ *, int *, $ *, int *)'):gsub('%$', T.c)))

local element = require 'torch.base.element'
local get, returned = element.getter(T), element.returned

local pooling_kernels = {}

local ZEROS = 4096
local zeros, count, one = ffi.new(T.c .. '[?]', ZEROS), ffi.new 'int[1]', ffi.new('int[1]', 1)

-- Tells if all elements are finite numbers: 0 times any other is nan.
local function finite(g, x, n)
   if g.dot == nil then return false end
   local dot, sum = cast(dot_t, g.dot), 0
   for from = 0, n - 1, ZEROS do
      count[0] = min(n - from, ZEROS)
      sum = sum + returned(dot(count, x + from, one, zeros, one))
   end
   return sum == 0
end

-- Gives the plane that windows are read from: itself, or its copy within margins.
local function source(w, x, padded)
   if w.padded == 0 then return x end
   local from, to, bytes = w.row_from, w.row_to, w.width * SIZE
   for r = 0, w.lines - 1 do copy(padded + to[r], x + from[r], bytes) end
   return padded
end

-- The least finite number, and the index, of windows without a larger one.
local LEAST = T.name == 'Double' and -1.7976931348623157e308 or -3.4028234663852886e38

-- Comparisons in order, as nan never is larger.
local function max_with_care(w, x, y, index)
   local none = w.relative == 1 and -1 or 0
   for q = 0, w.outputs - 1 do
      local best, found = LEAST, none
      for i = 0, w.taps - 1 do
         local v = get(x, w.at[q] + w.tap[i])
         if v > best then best, found = v, w.place[q] + w.step[i] end
      end
      y[q] = best
      index[q] = found
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

-- The maxima of planes of finite numbers.
local function maxima(w, x, y, index, planes)
   local from, kind = 0, 'max'
   while from < w.taps do
      local f, taken = loops.part(w, from, kind)
      f(planes, w.area, w.outputs, x, w.at, w.tap + from, w.step + from, w.place, y, index)
      from, kind = from + taken, 'more_max'
   end
end

-- The maxima of one plane, which may be a padded one.
local function max_one(g, w, plane, from, y, index)
   if not finite(g, plane, w.area) then return max_with_care(w, from, y, index) end
   maxima(w, from, y, index, 1)
   local none = w.relative == 1 and -1 or 0
   for i = 0, w.empties - 1 do y[w.empty[i]], index[w.empty[i]] = LEAST, none end
end
pooling_kernels.max_one = max_one

function pooling_kernels.max(g, w, x, y, index, padded, planes)
   if w.padded == 0 and finite(g, x, planes * w.area) then return maxima(w, x, y, index, planes) end
   margins(w, padded, -huge)
   for p = 0, planes - 1 do
      local plane = x + p * w.area
      max_one(g, w, plane, source(w, plane, padded), y + p * w.outputs, index + p * w.outputs)
   end
end

-- Averages of planes, and of sums by their divisors where a window is more than one loop.
local function average(w, x, y, planes, care)
   local single, outputs, divisor, factors = loops.single(w), w.outputs, w.divisor, w.factors == 1
   local from, kind = 0, single and 'average' or 'sum'
   while from < w.taps do
      local f, taken = loops.part(w, from, kind, care)
      f(planes, w.area, outputs, x, w.at, w.tap + from, w.step + from, w.place, y, y, divisor)
      from, kind = from + taken, 'more_sum'
   end
   if single then return end
   for p = 0, planes - 1 do
      local out = y + p * outputs
      for q = 0, outputs - 1 do
         local sum = get(out, q)
         out[q] = factors and sum * divisor[q] or sum / divisor[q]
      end
   end
end

function pooling_kernels.average(g, w, x, y, _, padded, planes)
   if w.padded == 0 then return average(w, x, y, planes, not finite(g, x, planes * w.area)) end
   margins(w, padded, 0)
   for p = 0, planes - 1 do
      local plane = x + p * w.area
      average(w, source(w, plane, padded), y + p * w.outputs, 1, not finite(g, plane, w.area))
   end
end

-- Adds to each element of a window its part of the gradient.
local function spread(w, x, y, planes)
   local from = 0
   while from < w.taps do
      local f, taken = loops.part(w, from, 'spread')
      f(planes, w.area, w.outputs, x, w.at, w.tap + from, w.step + from, w.place, y, y, w.divisor)
      from = from + taken
   end
end

function pooling_kernels.spread(_, w, x, y, _, padded, planes)
   fill(x, planes * w.area * SIZE)
   if w.padded == 0 then return spread(w, x, y, planes) end
   local from, back, bytes = w.row_to, w.row_from, w.width * SIZE
   for p = 0, planes - 1 do
      fill(padded, w.padded * SIZE)
      spread(w, padded, y + p * w.outputs, 1)
      local plane = x + p * w.area
      for r = 0, w.lines - 1 do copy(plane + back[r], padded + from[r], bytes) end
   end
end

-- f(x, y, index, planes, area, outputs, limit, position, apart): goes through the places of windows, $first to
-- `limit`, and answers how many are none. Places are read as the halves of their 64 bits, since LuaJIT has integers of
-- 32. A place is read once, checked and used: others may write to the indices meanwhile.
local places_source = [[
return function(x, y, index, planes, area, outputs, limit, position, apart)
   local wrong = 0
   for p = 0, planes - 1 do
      local plane, out, places = x + p * area, y + p * outputs, cast(halves_t, index + p * outputs)
      $before
      plane = plane - $first
      for q = 0, outputs - 1 do
         local i = places[2 * q]
         if i >= $first and i <= limit and places[2 * q + 1] == 0 then
            $step
         elseif i ~= $none or places[2 * q + 1] ~= $none then
            wrong = wrong + 1
         end
      end
   end
   return wrong
end]]

-- Places in a plane count from 1, those in a window from 0; `none` is that of windows without any maximum.
local CLEARED = 'fill(plane, area * size)'

local function walk(name, before, first, step, none)
   return template.compile('nn ' .. name, places_source, { before = before, first = first, step = step, none = none },
      { cast = cast, fill = fill, halves_t = ffi.typeof 'int32_t *', size = SIZE, get = get })
end

-- Add gradients to the places of the maxima: elements of a plane, or of a window.
local add_to_plane = walk('max_back', CLEARED, 1, 'plane[i] = plane[i] + get(out, q)', 0)
local add_to_window = walk('relative_back', CLEARED, 0,
   'local at = position[q] + apart[i]; plane[at] = plane[at] + get(out, q)', -1)

local back_t, back = ffi.typeof 'void (*)(t7_nn_back *)', ffi.new 't7_nn_back'

function pooling_kernels.max_back(g, w, x, y, index, _, planes)
   if g.back ~= nil and w.outputs > 0 then
      local code = cast(back_t, g.back)
      back.count, back.area, back.wrong = w.outputs, w.area, 0
      for p = 0, planes - 1 do
         local plane = x + p * w.area
         fill(plane, w.area * SIZE)
         back.plane, back.from = cast(byte_p, plane), cast(byte_p, y + p * w.outputs)
         back.index = index + p * w.outputs
         code(back)
      end
      return tonumber(back.wrong)
   end
   return add_to_plane(x, y, index, planes, w.area, w.outputs, w.area)
end

function pooling_kernels.relative_back(_, w, x, y, index, _, planes)
   return add_to_window(x, y, index, planes, w.area, w.outputs, w.taps - 1, w.position, w.tap)
end

-- unpool(x, y, index, planes, area, outputs, area): x at the places of y becomes y, all else 0: the inverse of maxima;
-- and what takes it back. All windows have a place.
pooling_kernels.unpool = walk('unpool', CLEARED, 1, 'plane[i] = get(out, q)', 'nil')
pooling_kernels.unpool_back = walk('unpool_back', '', 1, 'out[q] = get(plane, i)', 'nil')

local WHAT = { [0] = pooling_kernels.max, pooling_kernels.average, pooling_kernels.spread,
   pooling_kernels.max_back, pooling_kernels.relative_back }

local memory = require 'nn.kernels.kernel_scratch'(T)

-- Works on the planes `from` to `to` - 1; `wrong` is set when a place was none.
function pooling_kernels.run(g, from, to)
   local w = g.windows
   local x, y = cast(p_t, g.x) + from * w.area, cast(p_t, g.y) + from * w.outputs
   local index = cast(index_t, g.index) + (g.index ~= nil and from * w.outputs or 0)
   local wrong = WHAT[g.what](g, w, x, y, index, memory(w.padded), to - from)
   if wrong and wrong > 0 then g.wrong = 1 end
end

return pooling_kernels
end

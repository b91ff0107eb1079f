-- Pooling of planes of one element type, with the loops of pooling_loops.lua. Loops for maxima require finite numbers:
-- planes with other numbers take a slower path. Nothing else writes to the input or the results meanwhile (k.steady,
-- k.own). Runs in the main state and in workers, so one C struct has all of its inputs.

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

-- Tells whether all elements are finite: 0 times any other number is nan.
local function finite(g, x, n)
   if g.dot == nil then return false end
   local dot, sum = cast(dot_t, g.dot), 0
   for from = 0, n - 1, ZEROS do
      count[0] = min(n - from, ZEROS)
      sum = sum + returned(dot(count, x + from, one, zeros, one))
   end
   return sum == 0
end

-- Returns the plane that windows read: x itself, or its padded copy.
local function source(w, x, padded)
   if w.padded == 0 then return x end
   local from, to, bytes = w.row_from, w.row_to, w.width * SIZE
   for r = 0, w.lines - 1 do copy(padded + to[r], x + from[r], bytes) end
   return padded
end

-- The least finite number: the maximum of windows without a larger one.
local LEAST = T.name == 'Double' and -1.7976931348623157e308 or -3.4028234663852886e38

-- Compares in order, since nan is never larger.
local function max_with_care(w, x, y, index)
   local none = w.relative == 1 and -1 or 0
   for q = 0, w.outputs - 1 do
      local best, found = LEAST, none
      for i = 0, w.taps - 1 do
         local v = get(x, w.at[q] + w.tap[i])
         if v > best then best, found = v, w.origin[q] + w.step[i] end
      end
      y[q] = best
      index[q] = found
   end
end

-- Fills the margins of padded copies once: with -inf for maxima, with 0 for sums.
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
      f(planes, w.area, w.outputs, x, w.at, w.tap + from, w.step + from, w.origin, y, index)
      from, kind = from + taken, 'more_max'
   end
end

-- The maxima of one plane, which may be a padded copy.
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

-- Averages of planes. If a window takes several loops, sums are divided at the end.
local function average(w, x, y, planes, care)
   local single, outputs, divisor, factors = loops.single(w), w.outputs, w.divisor, w.factors == 1
   local from, kind = 0, single and 'average' or 'sum'
   while from < w.taps do
      local f, taken = loops.part(w, from, kind, care)
      f(planes, w.area, outputs, x, w.at, w.tap + from, w.step + from, w.origin, y, y, divisor)
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

-- Adds its part of the gradient to each element of a window.
local function spread(w, x, y, planes)
   local from = 0
   while from < w.taps do
      local f, taken = loops.part(w, from, 'spread')
      f(planes, w.area, w.outputs, x, w.at, w.tap + from, w.step + from, w.origin, y, y, w.divisor)
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

-- f(x, y, index, planes, area, outputs, limit, position, apart): visits the indices of windows, which are $first to
-- `limit`, and returns the number of invalid ones. Indices are read as two 32-bit halves, since LuaJIT's integers have
-- 32 bits. An index is read once, checked and used: others may write to the indices meanwhile.
local indices_source = [[
return function(x, y, index, planes, area, outputs, limit, position, apart)
   local wrong = 0
   for p = 0, planes - 1 do
      local plane, out, indices = x + p * area, y + p * outputs, cast(halves_t, index + p * outputs)
      $before
      plane = plane - $first
      for q = 0, outputs - 1 do
         local i = indices[2 * q]
         if i >= $first and i <= limit and indices[2 * q + 1] == 0 then
            $step
         elseif i ~= $none or indices[2 * q + 1] ~= $none then
            wrong = wrong + 1
         end
      end
   end
   return wrong
end]]

-- Indices in a plane count from 1, those in a window from 0; `none` marks windows without a maximum.
local CLEARED = 'fill(plane, area * size)'

local function walk(name, before, first, step, none)
   return template.compile('nn ' .. name, indices_source, { before = before, first = first, step = step, none = none },
      { cast = cast, fill = fill, halves_t = ffi.typeof 'int32_t *', size = SIZE, get = get })
end

-- Add gradients at the indices of the maxima: elements of a plane, or of a window.
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

-- unpool(x, y, index, planes, area, outputs, area): elements of y go to their indices in x, all others are 0, the
-- inverse of maxima; unpool_back is its gradient. Every window has an index.
pooling_kernels.unpool = walk('unpool', CLEARED, 1, 'plane[i] = get(out, q)', 'nil')
pooling_kernels.unpool_back = walk('unpool_back', '', 1, 'out[q] = get(plane, i)', 'nil')

local WHAT = { [0] = pooling_kernels.max, pooling_kernels.average, pooling_kernels.spread,
   pooling_kernels.max_back, pooling_kernels.relative_back }

local memory = require 'nn.kernels.kernel_scratch'(T)

-- Processes the planes `from` to `to` - 1; sets `wrong` if an index is invalid.
function pooling_kernels.run(g, from, to)
   local w = g.windows
   local x, y = cast(p_t, g.x) + from * w.area, cast(p_t, g.y) + from * w.outputs
   local index = cast(index_t, g.index) + (g.index ~= nil and from * w.outputs or 0)
   local wrong = WHAT[g.what](g, w, x, y, index, memory(w.padded), to - from)
   if wrong and wrong > 0 then g.wrong = 1 end
end

return pooling_kernels
end

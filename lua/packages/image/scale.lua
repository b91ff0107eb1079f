-- image.scale: nearest elements, linear interpolation with averages where images shrink, and cubic interpolation.

local ffi = require 'ffi'
local arguments, kernels = require 'image.arguments', require 'torch.native.kernels'
local errors, buffers = require 'torch.base.errors', require 'torch.memory.buffers'
local isTensor, raise = require('torch').isTensor, errors.raise

local byte_p, cast = ffi.typeof 'char *', ffi.cast
-- The precision of positions: which elements are read depends on whether they are whole.
local float = require('torch.loops.element').rounder(require('torch.base.types').by_name.Float)

-- Memory for the indices and weights of n outputs.
local function taps(n, K) return ffi.new('int32_t[?]', n * K), ffi.new('double[?]', n * K) end

-- Plans list, for each output along one dimension, the inputs it reads: at, weight, number of taps and, if sums are to
-- be divided, the divisor.
local plans = {}

function plans.simple(from, to)
   local at, step = ffi.new('int32_t[?]', to), float(from / to)
   for i = 0, to - 1 do at[i] = math.min(math.floor(float(i * step)), from - 1) end
   return { at = at, K = 1 }
end

local function copied(n)
   local at, weight = taps(n, 1)
   for i = 0, n - 1 do at[i], weight[i] = i, 1 end
   return { at = at, weight = weight, K = 1 }
end

local function interpolated(from, to)
   local at, weight = taps(to, 2)
   local step = float((from - 1) / (to - 1))
   for i = 0, to - 1 do
      local position = i == to - 1 and from - 1 or float(i * step)
      local first = math.min(math.floor(position), from - 1)
      local part = float(position - first)
      at[2 * i], at[2 * i + 1] = first, math.min(first + 1, from - 1)
      weight[2 * i], weight[2 * i + 1] = float(1 - part), part
   end
   return { at = at, weight = weight, K = 2 }
end

-- Means over the range of inputs that an output covers.
local function averaged(from, to)
   local step = float(from / to)
   local starts, parts, max_taps = {}, {}, 1
   for i = 0, to do
      local position = float(i * step)
      starts[i] = math.floor(position)
      parts[i] = float(position - starts[i])
      if i > 0 then
         local last = (parts[i] > 0 and starts[i] < from) and starts[i] or starts[i] - 1
         max_taps = math.max(max_taps, math.min(last, from - 1) - starts[i - 1] + 1)
      end
   end
   local at, weight = taps(to, max_taps)
   local total = ffi.new('double[?]', to)
   for i = 0, to - 1 do
      local first, sum = starts[i], 0
      for k = 0, max_taps - 1 do
         local source = first + k
         local share = 0
         if source < starts[i + 1] then
            share = 1
         elseif source == starts[i + 1] then
            share = parts[i + 1]
         end
         if source >= from then share = 0 end
         if k == 0 then share = float(1 - parts[i]) end
         at[i * max_taps + k] = share > 0 and source or math.min(first, from - 1)
         weight[i * max_taps + k] = share
         sum = float(sum + share)
      end
      total[i] = sum
   end
   return { at = at, weight = weight, total = total, K = max_taps }
end

function plans.bilinear(from, to)
   if from == to then return copied(to) end
   return to > from and interpolated(from, to) or averaged(from, to)
end

function plans.bicubic(from, to)
   if from == to then return copied(to) end
   local at, weight = taps(to, 4)
   local step = to > 1 and float((from - 1) / (to - 1)) or 0
   for i = 0, to - 1 do
      local position = float(i * step)
      local first, j = math.floor(position), 4 * i
      if i == to - 1 or first >= from - 1 then
         at[j + 1], at[j + 2] = from - 1, -1
      else
         -- Elements beyond the ends are -1: t7_taps says what that means.
         at[j], at[j + 1], at[j + 2] = first - 1, first, first + 1
         at[j + 3] = first + 2 < from and first + 2 or -1
         weight[j] = float(position - first)
      end
   end
   return { at = at, weight = weight, K = 4, is_cubic = 1 }
end

-- Plans of the most recent sizes: images of a data set usually have the same size.
local KEPT = 8
local kept, oldest = {}, 1

local function plan_of(mode, from, to)
   for i = 1, #kept do
      local plan = kept[i]
      if plan.from == from and plan.n == to and plan.mode == mode then return plan end
   end
   local plan = plans[mode](from, to)
   plan.mode, plan.from, plan.n = mode, from, to
   kept[oldest] = plan
   oldest = oldest % KEPT + 1
   return plan
end

-- The taps of rows of `width` outputs, in rows of `step` inputs.
local function taps_of(plan, width, step)
   local t = ffi.new 't7_taps'
   t.at, t.weight, t.total, t.taps, t.width, t.step = plan.at, plan.weight, plan.total, plan.K, width, step
   t.is_cubic = plan.is_cubic or 0
   return t
end

-- Rows first, then columns, with an intermediate image of the same type.
local function resample(lib, T, to, from, between, planes, height, width, rows, columns, size)
   local n = columns.n
   local along, across = taps_of(columns, n, width), taps_of(rows, n, n)
   along.to, across.from = between, between
   for p = 0, planes - 1 do
      along.from, across.to = from + p * height * width * size, to + p * rows.n * n * size
      lib.t7_sample_along(T, along, height)
      lib.t7_sample_across(T, across, rows.n)
   end
end

local function run(r, x, mode)
   local planes, height, width = arguments.sizes(x)
   local _, rows_to, columns_to = arguments.sizes(r)
   local lib, T = kernels 'image/sampling', arguments.type_number(x)
   if mode ~= 'simple' then x = x:contiguous() end
   local target = arguments.target(r, x)
   local rows, columns = plan_of(mode, height, rows_to), plan_of(mode, width, columns_to)
   local to, from = cast(byte_p, buffers.start(target)), cast(byte_p, buffers.start(x))
   if mode == 'simple' then
      local d = x:dim()
      lib.t7_sample_nearest(T, to, from, planes, d > 2 and x:stride(1) or 0, x:stride(d - 1), x:stride(d), rows.n,
         columns.n, rows.at, columns.at)
   else
      local between = x.new(height, columns_to)
      resample(lib, T, to, from, cast(byte_p, buffers.start(between)), planes, height, width, rows, columns,
         x:elementSize())
      buffers.keep_alive(between)
   end
   buffers.keep_alive(x, target, rows, columns)
   return arguments.finish(r, target)
end

-- Width and height that a size means: a number or 'N' for the longer side, 'WxH', '^N' for the shorter one, '*N/D' or
-- '*F' for a factor. As in the original, what surrounds the last four does not count.
local function wanted_sizes(x, size)
   local _, height, width = arguments.sizes(x)
   local text = tostring(size)
   local function times(n, d) return math.floor(width * n / d), math.floor(height * n / d) end
   local side = tonumber(size)
   if side then return times(side, math.max(height, width)) end
   local w, h = string.match(text, '(%d+)x(%d+)')
   if w then return tonumber(w), tonumber(h) end
   side = tonumber(string.match(text, '%^(%d+)'))
   if side then return times(side, math.min(height, width)) end
   local n, d = string.match(text, '%*(%d+)/(%d+)')
   if not n then n, d = string.match(text, '%*(.+)'), 1 end
   n, d = tonumber(n), tonumber(d)
   if n and d > 0 then return times(n, d) end
   raise("scale: size must be N, ^N, WxH, *F or *N/D (got '%s')", text)
end

local modes = { 'bilinear', 'bicubic', 'simple' }

-- scale([r,] x, width, height [, mode]), scale(x, size [, mode]), scale(r, x [, mode]).
local function read(...)
   local first, second, third, fourth, fifth = ...
   if not isTensor(first) then raise('scale: argument 1 must be an image (got %s)', arguments.describe(first)) end
   if isTensor(second) then
      if type(third) == 'number' then return first, second, nil, nil, fifth, third, fourth end
      return first, second, nil, nil, third
   end
   if type(third) == 'number' or (type(third) == 'string' and tonumber(third)) then
      return nil, first, second, third, fourth
   end
   if type(second) ~= 'number' and type(second) ~= 'string' then
      raise('scale: argument 2 must be a width, a size or an image (got %s)', arguments.describe(second))
   end
   return nil, first, second, nil, third
end

local function scale(...)
   if select('#', ...) == 0 then raise 'scale: argument 1 must be an image (got nothing)' end
   local r, x, width, height, mode = read(...)
   arguments.image('scale', x)
   mode = arguments.one_of('scale', 'mode', mode, 'bilinear', modes)
   if r then
      arguments.result_like('scale', r, x)
      return run(r, x, mode)
   end
   if height then
      width, height = arguments.integer('scale', 'width', width), arguments.integer('scale', 'height', height)
   else
      width, height = wanted_sizes(x, width)
   end
   if not (width < math.huge and height < math.huge) then
      raise('scale: width and height must be finite (got %.0fx%.0f)', width, height)
   end
   -- As in the original, one pixel at least is left.
   return run(arguments.new_like(x, math.max(height, 1), math.max(width, 1)), x, mode)
end

return function(image) image.scale = scale end

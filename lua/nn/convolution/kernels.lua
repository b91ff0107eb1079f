-- Convolutions of one element type as matrix products: images are unfolded into columns, and a block of images is one
-- product. Runs in the main state and in workers: all that it needs is in one C struct.

return function(T, gemm)


local ceil, floor = math.ceil, math.floor
local ffi = require 'ffi'
local cast, copy, fill = ffi.cast, ffi.copy, ffi.fill
local SIZE, p_t, byte_p = T.size, T.pointer_ct, ffi.typeof 'char *'

local gemm_t = ffi.typeof(
   'void (*)(char *, char *, int *, int *, int *, void *, void *, int *, void *, int *, void *, void *, int *)')
local loop_t = ffi.typeof 'void (*)(char **, const intptr_t *, const intptr_t *, void *)'
local copy_t = ffi.typeof 'void (*)(int *, void *, int *, void *, int *)'
local kernels = {}

local args, count, steps = ffi.new 'char *[3]', ffi.new 'intptr_t[1]', ffi.new 'intptr_t[3]'

-- z = x + y for n elements; a step of 0 for x and z adds all of y to one element.
local function add(fn, data, x, x_step, y, y_step, z, z_step, n)
   args[0], args[1], args[2], count[0] = cast(byte_p, x), cast(byte_p, y), cast(byte_p, z), n
   steps[0], steps[1], steps[2] = x_step, y_step, z_step
   fn(args, count, steps, data)
end

local n_, from_step, to_step = ffi.new 'int[1]', ffi.new 'int[1]', ffi.new('int[1]', 1)

-- Rows of some planes to strips. Margins of the strips are zero already.
local function strips(g, plan, planes, x, v)
   local runs, area, strip, step = plan.rows, plan.area, plan.strip, plan.step
   local each, to, from, size = runs.count, runs.to, runs.from, runs.size
   if step == 1 then
      for q = 0, planes * each - 1 do
         local i = floor(q / each)
         local r = q - i * each
         copy(v + (i * strip + to[r]), x + (i * area + from[r]), size[r] * SIZE)
      end
   else
      local fn = cast(copy_t, g.copy)
      from_step[0] = step
      for q = 0, planes * each - 1 do
         local i = floor(q / each)
         local r = q - i * each
         n_[0] = size[r]
         fn(n_, x + (i * area + from[r]), from_step, v + (i * strip + to[r]), to_step)
      end
   end
end

-- Strips to columns, whose rows are `pitch` elements apart.
local function cut(plan, planes, v, columns, pitch)
   local runs, strip, taps, tap = plan.cuts, plan.strip, plan.taps, plan.tap
   local each, to, from, size = runs.count, runs.to, runs.from, runs.size
   for q = 0, planes * each - 1 do
      local i = floor(q / each)
      local r = q - i * each
      copy(columns + ((i * taps + tap[r]) * pitch + to[r]), v + (i * strip + from[r]), size[r] * SIZE)
   end
end

-- Adds columns to strips.
local function uncut(g, plan, planes, columns, pitch, v)
   local runs, strip, taps, tap = plan.cuts, plan.strip, plan.taps, plan.tap
   local each, to, from, size = runs.count, runs.to, runs.from, runs.size
   local fn, data = cast(loop_t, g.add), g.add_data
   for q = 0, planes * each - 1 do
      local i = floor(q / each)
      local r = q - i * each
      local z = v + (i * strip + from[r])
      add(fn, data, z, SIZE, columns + ((i * taps + tap[r]) * pitch + to[r]), SIZE, z, SIZE, size[r])
   end
end

-- Adds strips to images.
local function unstrips(g, plan, planes, v, x)
   local runs, area, strip, bytes = plan.rows, plan.area, plan.strip, plan.step * SIZE
   local each, to, from, size = runs.count, runs.to, runs.from, runs.size
   local fn, data = cast(loop_t, g.add), g.add_data
   for q = 0, planes * each - 1 do
      local i = floor(q / each)
      local r = q - i * each
      local z = x + (i * area + from[r])
      add(fn, data, z, bytes, v + (i * strip + to[r]), SIZE, z, bytes, size[r])
   end
end

-- The columns of `m` images from number `s` on, and their pitch.
local function unfold(g, plan, x, m, v, columns)
   if plan.direct == 1 and m == 1 then return x end
   local planes, pitch = g.planes, m * plan.out
   if plan.flat == 1 and m == 1 then
      strips(g, plan, planes, x, v)
      return v
   end
   for j = 0, m - 1 do
      strips(g, plan, planes, x + j * g.image_step, v)
      cut(plan, planes, v, columns + j * plan.out, pitch)
   end
   return columns
end

local function fold(g, plan, columns, m, v, x)
   local planes, pitch = g.planes, m * plan.out
   for j = 0, m - 1 do
      local z = x + j * g.image_step
      fill(v, planes * plan.strip * SIZE)
      uncut(g, plan, planes, columns + j * plan.out, pitch, v)
      fill(z, planes * plan.area * SIZE)
      unstrips(g, plan, planes, v, z)
   end
end

-- The maps of `m` images side by side.
local function gather(g, plan, y, m, side)
   if m == 1 then return y end
   local out, map_step = plan.out, g.map_step
   for q = 0, g.outputs * m - 1 do
      local o = floor(q / m)
      local j = q - o * m
      copy(side + q * out, y + (j * map_step + o * out), out * SIZE)
   end
   return side
end

-- The same way back, with a bias for each.
local function scatter(g, plan, side, m, bias, y)
   local out, map_step = plan.out, g.map_step
   if bias == nil then
      if m == 1 then return end
      for q = 0, g.outputs * m - 1 do
         local o = floor(q / m)
         local j = q - o * m
         copy(y + (j * map_step + o * out), side + q * out, out * SIZE)
      end
      return
   end
   local fn, data, bias_step = cast(loop_t, g.add), g.add_data, g.bias_step
   for q = 0, g.outputs * m - 1 do
      local o = floor(q / m)
      local j = q - o * m
      add(fn, data, side + q * out, SIZE, bias + o * bias_step, 0, y + (j * map_step + o * out), SIZE, out)
   end
end

-- Adds to each of `count` planes the bias of its number, of which there are `planes`.
local function add_bias(g, plan, x, count_, planes, bias)
   local fn, data, area = cast(loop_t, g.add), g.add_data, plan.area
   for q = 0, count_ - 1 do
      local z = x + q * area
      add(fn, data, z, SIZE, bias + q % planes * g.bias_step, 0, z, SIZE, area)
   end
end

-- maps = weight columns + bias.
function kernels.correlate(g, plan, x, y, m, weight, bias, v, columns, side)
   local fn, out, inner = cast(gemm_t, g.gemm), plan.out, g.planes * plan.taps
   local from = unfold(g, plan, x, m, v, columns)
   local to = m == 1 and y or side
   gemm(fn, false, false, g.outputs, m * out, inner, 1, weight, g.weight_row, from, m * out, 0, to, m * out)
   scatter(g, plan, to, m, bias, y)
end

-- images = fold(weight' maps) + bias.
function kernels.spread(g, plan, x, y, m, weight, bias, v, columns, side)
   local fn, out, inner = cast(gemm_t, g.gemm), plan.out, g.planes * plan.taps
   local from = gather(g, plan, y, m, side)
   local direct = plan.direct == 1 and m == 1
   gemm(fn, true, false, inner, m * out, g.outputs, 1, weight, g.weight_row, from, m * out, 0,
      direct and x or columns, m * out)
   if not direct then fold(g, plan, columns, m, v, x) end
   if bias ~= nil then add_bias(g, plan, x, m * g.planes, g.planes, bias) end
end

-- sums += scale maps columns'.
function kernels.weigh(g, plan, x, y, m, sums, _, v, columns, side)
   local fn, out, inner = cast(gemm_t, g.gemm), plan.out, g.planes * plan.taps
   local from = unfold(g, plan, x, m, v, columns)
   local maps = gather(g, plan, y, m, side)
   gemm(fn, false, true, g.outputs, inner, m * out, g.scale, maps, m * out, from, m * out, 1, sums, g.weight_row)
end

-- Rows of columns from images, or images from columns, for kernels that are no single product.
kernels.unfold, kernels.fold = unfold, fold

local WHAT = { [0] = kernels.correlate, kernels.spread, kernels.weigh }

local room, size = nil, 0

-- Memory of this state for n elements.
local function memory(n)
   if n > size then room, size = ffi.new(T.c .. '[?]', n), n end
   return cast(p_t, room)
end

-- Works on the blocks `from` to `to` - 1 of images; weights are from `weight` on.
local function run(g, from, to, weight)
   local plan, what, block = g.plan, WHAT[g.what], g.block
   local x, y = cast(p_t, g.image), cast(p_t, g.map)
   local bias = g.bias ~= nil and cast(p_t, g.bias) or nil
   local strips_size, columns_size = g.planes * plan.strip, g.planes * plan.taps * plan.out * block
   local v = memory(strips_size + columns_size + g.outputs * plan.out * block)
   local columns = v + strips_size
   local side = columns + columns_size
   fill(v, strips_size * SIZE)
   for q = from * g.groups, to * g.groups - 1 do
      local b = floor(q / g.groups)
      local k = q - b * g.groups
      local s = b * block
      local m = g.images - s
      if m > block then m = block end
      what(g, plan, x + (s * g.image_step + k * g.image_group), y + (s * g.map_step + k * g.map_group), m,
         weight + k * g.weight_group, bias and bias + k * g.bias_group, v, columns, side)
   end
end

-- One image, with columns that all parts share: they are made by planes, and products of them are made in parts.

-- The columns of some planes.
local function unfold_planes(g, from, to)
   local plan, planes = g.plan, to - from
   local x, columns = cast(p_t, g.image) + from * plan.area, cast(p_t, g.columns) + from * plan.taps * plan.out
   local v = plan.flat == 1 and columns or memory(planes * plan.strip)
   fill(v, planes * plan.strip * SIZE)
   strips(g, plan, planes, x, v)
   if plan.flat == 0 then cut(plan, planes, v, columns, plan.out) end
end

-- Some planes from their columns.
local function fold_planes(g, from, to)
   local plan, planes = g.plan, to - from
   local x, columns = cast(p_t, g.image) + from * plan.area, cast(p_t, g.columns) + from * plan.taps * plan.out
   if plan.direct == 0 then
      local v = memory(planes * plan.strip)
      fill(v, planes * plan.strip * SIZE)
      uncut(g, plan, planes, columns, plan.out, v)
      fill(x, planes * plan.area * SIZE)
      unstrips(g, plan, planes, v, x)
   end
   if g.bias ~= nil then add_bias(g, plan, x, planes, planes, cast(p_t, g.bias) + from * g.bias_step) end
end

-- Elements of a unit of a product.
local UNIT = 16
kernels.UNIT = UNIT

-- Some places of all maps.
local function correlate_part(g, from, to)
   local plan, out = g.plan, g.plan.out
   local first, last = from * UNIT, to * UNIT < out and to * UNIT or out
   local y = cast(p_t, g.map) + first
   gemm(cast(gemm_t, g.gemm), false, false, g.outputs, last - first, g.planes * plan.taps, 1, cast(p_t, g.weight),
      g.weight_row, cast(p_t, g.columns) + first, out, 0, y, out)
   if g.bias ~= nil then
      local bias, fn, data = cast(p_t, g.bias), cast(loop_t, g.add), g.add_data
      for o = 0, g.outputs - 1 do
         local z = y + o * out
         add(fn, data, z, SIZE, bias + o * g.bias_step, 0, z, SIZE, last - first)
      end
   end
end

-- Some rows of the columns of gradients.
local function spread_part(g, from, to)
   local plan, out = g.plan, g.plan.out
   local all = g.planes * plan.taps
   local first, last = from * UNIT, to * UNIT < all and to * UNIT or all
   gemm(cast(gemm_t, g.gemm), true, false, last - first, out, g.outputs, 1, cast(p_t, g.weight) + first, g.weight_row,
      cast(p_t, g.map), out, 0, cast(p_t, g.columns) + first * out, out)
end

-- Sums for some weights of all maps.
local function weigh_part(g, from, to)
   local plan, out = g.plan, g.plan.out
   local all = g.planes * plan.taps
   local first, last = from * UNIT, to * UNIT < all and to * UNIT or all
   gemm(cast(gemm_t, g.gemm), false, true, g.outputs, last - first, out, g.scale, cast(p_t, g.map), out,
      cast(p_t, g.columns) + first * out, out, 1, cast(p_t, g.weight) + first, g.weight_row)
end

local sum_ = ffi.new(T.c .. '[1]')

-- The sums of some planes of the maps over all images, to their biases.
local function sum_planes(g, from, to)
   local fn, data, area, planes = cast(loop_t, g.add), g.add_data, g.image_step, g.planes
   local y, bias = cast(p_t, g.map), cast(p_t, g.bias)
   for i = from, to - 1 do
      sum_[0] = 0
      for s = 0, g.images - 1 do add(fn, data, sum_, 0, y + (s * planes + i) * area, SIZE, sum_, 0, area) end
      local at = i % g.outputs * g.groups + floor(i / g.outputs)
      bias[at] = bias[at] + g.scale * sum_[0]
   end
end

local PARTS = {
   [3] = unfold_planes, [4] = fold_planes, [5] = correlate_part, [6] = spread_part, [7] = weigh_part, [8] = sum_planes,
}

-- Works on blocks; sums of weights are made for some blocks at a time, which are the units then.
function kernels.run(g, from, to)
   local step = PARTS[g.what]
   if step then return step(g, from, to) end
   local weight = cast(p_t, g.weight)
   if g.sums == 0 then return run(g, from, to, weight) end
   for part = from, to - 1 do
      run(g, ceil(part * g.blocks / g.sums), ceil((part + 1) * g.blocks / g.sums), weight + part * g.weight_part)
   end
end

return kernels
end

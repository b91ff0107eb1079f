-- Convolutions of one element type as matrix products: images are unfolded into columns, and a block of images is one
-- product. Runs in the main state and in workers, so one C struct has all of its inputs.

return function(T, gemm, runs, one, by_planes)

local ceil, floor = math.ceil, math.floor
local ffi = require 'ffi'
local cast, copy, fill = ffi.cast, ffi.copy, ffi.fill
local SIZE, p_t = T.size, T.pointer_ct

local loop_type = require 'torch.native.loop_type'
local add, add_bias, memory = runs.add, runs.add_bias, runs.memory
local strips, cut, uncut, unstrips = runs.strips, runs.cut, runs.uncut, runs.unstrips

local convolution_kernels = {}

-- Unfolds `m` images from image s on; returns their columns and the pitch.
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

-- Copies maps that lie side by side to their images, and adds a bias to each.
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
   local fn, data, bias_step = cast(loop_type, g.add), g.add_data, g.bias_step
   for q = 0, g.outputs * m - 1 do
      local o = floor(q / m)
      local j = q - o * m
      add(fn, data, side + q * out, SIZE, bias + o * bias_step, 0, y + (j * map_step + o * out), SIZE, out)
   end
end

-- maps = weight columns + bias.
function convolution_kernels.correlate(g, plan, x, y, m, weight, bias, v, columns, side)
   local fn, out, inner = g.gemm, plan.out, g.planes * plan.taps
   local from = unfold(g, plan, x, m, v, columns)
   local to = m == 1 and y or side
   gemm(fn, false, false, g.outputs, m * out, inner, 1, weight, g.weight_row, from, m * out, 0, to, m * out)
   scatter(g, plan, to, m, bias, y)
end

-- images = fold(weight' maps) + bias.
function convolution_kernels.spread(g, plan, x, y, m, weight, bias, v, columns, side)
   local fn, out, inner = g.gemm, plan.out, g.planes * plan.taps
   local from = gather(g, plan, y, m, side)
   local direct = plan.direct == 1 and m == 1
   gemm(fn, true, false, inner, m * out, g.outputs, 1, weight, g.weight_row, from, m * out, 0,
      direct and x or columns, m * out)
   if not direct then fold(g, plan, columns, m, v, x) end
   if bias ~= nil then add_bias(g, plan, x, m * g.planes, g.planes, bias) end
end

-- sums += scale maps columns', or the transpose: BLAS packs the second operand faster than the first.
local function add_products(g, fn, inner, n, maps, columns, sums)
   if g.turned == 1 then
      gemm(fn, false, true, inner, g.outputs, n, g.scale, columns, n, maps, n, 1, sums, g.outputs)
   else
      gemm(fn, false, true, g.outputs, inner, n, g.scale, maps, n, columns, n, 1, sums, g.weight_row)
   end
end

-- Products of maps and columns, for the weights.
function convolution_kernels.weigh(g, plan, x, y, m, sums, _, v, columns, side)
   local fn, out, inner = g.gemm, plan.out, g.planes * plan.taps
   local from = unfold(g, plan, x, m, v, columns)
   local maps = gather(g, plan, y, m, side)
   add_products(g, fn, inner, m * out, maps, from, sums)
end

-- maps = kernels columns, and sums += scale others columns', for a single group.
local function correlate_and_weigh(g, plan, x, y, m, sums, _, v, columns, side)
   local fn, out, inner = g.gemm, plan.out, g.planes * plan.taps
   local from = unfold(g, plan, x, m, v, columns)
   local to = m == 1 and y or side
   gemm(fn, false, false, g.outputs, m * out, inner, 1, cast(p_t, g.kernels), g.weight_row, from, m * out, 0,
      to, m * out)
   scatter(g, plan, to, m, nil, y)
   local others = gather(g, plan, cast(p_t, g.others) + (y - cast(p_t, g.map)), m, side)
   add_products(g, fn, inner, m * out, others, from, sums)
end

-- Columns from images, or images from columns, for callers that compute the products themselves.
convolution_kernels.unfold, convolution_kernels.fold, convolution_kernels.gather = unfold, fold, gather

local WHAT = {
   [0] = convolution_kernels.correlate, convolution_kernels.spread, convolution_kernels.weigh,
   [10] = correlate_and_weigh,
}

-- Processes the blocks `from` to `to` - 1 of images; `weight` is the address of the weights.
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

-- Processes blocks; for sums of weights a unit is a group of blocks with one partial sum.
function convolution_kernels.run(g, from, to)
   local step = one[g.what] or by_planes[g.what]
   if step then return step(g, from, to) end
   local weight = cast(p_t, g.weight)
   if g.sums == 0 then return run(g, from, to, weight) end
   for part = from, to - 1 do
      run(g, ceil(part * g.blocks / g.sums), ceil((part + 1) * g.blocks / g.sums), weight + part * g.weight_part)
   end
end

return convolution_kernels
end

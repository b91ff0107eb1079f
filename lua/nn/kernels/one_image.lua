-- A convolution of one image in chunks that share its columns: planes are unfolded, then some columns or rows of the
-- products are computed. Sums of weights may go over the columns of all images side by side. For one element type, in
-- the main state and in workers; convolution_chunks.lua has the struct of a call.

return function(T, gemm, runs)

local floor = math.floor
local ffi = require 'ffi'
local cast, fill = ffi.cast, ffi.fill
local SIZE, p_t = T.size, T.pointer_ct
local loop_type = require 'torch.native.loop_type'
local get = require('torch.base.element').getter(T)
local add, add_bias, memory = runs.add, runs.add_bias, runs.memory
local strips, cut, uncut, unstrips = runs.strips, runs.cut, runs.uncut, runs.unstrips

-- Unfolds some planes.
local function unfold_planes(g, from, to)
   local plan, planes, pitch = g.plan, to - from, g.images * g.plan.out
   local x, columns = cast(p_t, g.image) + from * plan.area, cast(p_t, g.columns) + from * plan.taps * pitch
   local flat = plan.flat == 1 and g.images == 1
   local v = flat and columns or memory(planes * plan.strip)
   fill(v, planes * plan.strip * SIZE)
   for s = 0, g.images - 1 do
      strips(g, plan, planes, x + s * g.image_step, v)
      if not flat then cut(plan, planes, v, columns + s * plan.out, pitch) end
   end
end

-- Folds the columns of some planes back.
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

-- Elements per unit of a product.
local UNIT = 16

-- Some columns of all maps.
local function correlate_part(g, from, to)
   local plan, out = g.plan, g.plan.out
   local first, last = from * UNIT, to * UNIT < out and to * UNIT or out
   local y = cast(p_t, g.map) + first
   gemm(g.gemm, false, false, g.outputs, last - first, g.planes * plan.taps, 1,
      cast(p_t, g.weight), g.weight_row, cast(p_t, g.columns) + first, out, 0, y, out)
   if g.bias ~= nil then
      local bias, fn, data = cast(p_t, g.bias), cast(loop_type, g.add), g.add_data
      for o = 0, g.outputs - 1 do
         local z = y + o * out
         add(fn, data, z, SIZE, bias + o * g.bias_step, 0, z, SIZE, last - first)
      end
   end
end

-- Some maps.
local function correlate_rows(g, from, to)
   local plan, out = g.plan, g.plan.out
   local inner, first, last = g.planes * plan.taps, from * UNIT, to * UNIT < g.outputs and to * UNIT or g.outputs
   local y = cast(p_t, g.map) + first * out
   gemm(g.gemm, false, false, last - first, out, inner, 1,
      cast(p_t, g.weight) + first * g.weight_row, g.weight_row, cast(p_t, g.columns), out, 0, y, out)
   if g.bias ~= nil then
      local bias, fn, data = cast(p_t, g.bias), cast(loop_type, g.add), g.add_data
      for o = 0, last - first - 1 do
         local z = y + o * out
         add(fn, data, z, SIZE, bias + (first + o) * g.bias_step, 0, z, SIZE, out)
      end
   end
end

-- Some rows of the gradient columns.
local function spread_part(g, from, to)
   local plan, out = g.plan, g.plan.out
   local all = g.planes * plan.taps
   local first, last = from * UNIT, to * UNIT < all and to * UNIT or all
   gemm(g.gemm, true, false, last - first, out, g.outputs, 1, cast(p_t, g.weight) + first,
      g.weight_row, cast(p_t, g.map), out, 0, cast(p_t, g.columns) + first * out, out)
end

-- Sums for some weights of all maps.
local function weigh_part(g, from, to)
   local plan, out = g.plan, g.images * g.plan.out
   local all = g.planes * plan.taps
   local first, last = from * UNIT, to * UNIT < all and to * UNIT or all
   gemm(g.gemm, false, true, g.outputs, last - first, out, g.scale, cast(p_t, g.map), out,
      cast(p_t, g.columns) + first * out, out, 1, cast(p_t, g.weight) + first, g.weight_row)
end

local total = ffi.new(T.c .. '[1]')

-- Adds the sums of some planes of the maps over all images to their biases.
local function sum_planes(g, from, to)
   local fn, data, area, planes = cast(loop_type, g.add), g.add_data, g.image_step, g.planes
   local y, bias = cast(p_t, g.map), cast(p_t, g.bias)
   for i = from, to - 1 do
      total[0] = 0
      for s = 0, g.images - 1 do add(fn, data, total, 0, y + (s * planes + i) * area, SIZE, total, 0, area) end
      local at = i % g.outputs * g.groups + floor(i / g.outputs)
      bias[at] = get(bias, at) + g.scale * get(total, 0)
   end
end

-- By the number of the work, see column_engine.lua.
return {
   UNIT = UNIT, [3] = unfold_planes, [4] = fold_planes, [5] = correlate_part, [6] = spread_part, [7] = weigh_part,
   [8] = sum_planes, [9] = correlate_rows,
}
end

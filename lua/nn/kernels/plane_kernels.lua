-- Convolutions between one plane of the image and few maps, such as depthwise ones, without machine code: sums of runs
-- of its strips, one per tap, which need no columns. Chunks are planes of all images, or all images of a plane. For one
-- element type, in the main state and in workers; convolution_chunks.lua has the struct of a call.

return function(T, runs)

local floor = math.floor
local ffi = require 'ffi'
local element, loop_type = require 'torch.base.element', require 'torch.native.loop_type'
local cast, fill = ffi.cast, ffi.fill
local get, returned = element.getter(T), element.returned
local SIZE, p_t = T.size, T.pointer_ct
local add, strips, unstrips, memory = runs.add, runs.strips, runs.unstrips, runs.memory
local axpy_t = ffi.typeof((('void (*)(int *, $ *, $ *, int *, $ *, int *)'):gsub('%$', T.c)))
local dot_t = ffi.typeof((('$ (*)(int *, $ *, int *, $ *, int *)'):gsub('%$', T.c)))

local n_, one = ffi.new 'int[1]', ffi.new('int[1]', 1)

-- Strips, with zero margins.
local function strips_of(plan)
   local v = memory(plan.strip)
   fill(v, plan.strip * SIZE)
   return v
end

-- Plane q over all images: the plane of the image, and its first map.
local function plane_of(g, q)
   local s = floor(q / g.groups)
   local k = q - s * g.groups
   return k, cast(p_t, g.image) + (s * g.image_step + k * g.image_group),
      cast(p_t, g.map) + (s * g.map_step + k * g.map_group)
end

-- map = weight * image + bias.
local function correlate_planes(g, from, to)
   local plan, out, outputs = g.plan, g.plan.out, g.outputs
   local cuts, tap, axpy, v = plan.cuts, plan.tap, cast(axpy_t, g.axpy), strips_of(plan)
   local fn, data = cast(loop_type, g.add), g.add_data
   for q = from, to - 1 do
      local k, x, y = plane_of(g, q)
      strips(g, plan, 1, x, v)
      fill(y, outputs * out * SIZE)
      for o = 0, outputs - 1 do
         local z, w = y + o * out, cast(p_t, g.weight) + (k * g.weight_group + o * g.weight_row)
         for r = 0, cuts.count - 1 do
            n_[0] = cuts.size[r]
            axpy(n_, w + tap[r], v + cuts.from[r], one, z + cuts.to[r], one)
         end
         if g.bias ~= nil then
            add(fn, data, z, SIZE, cast(p_t, g.bias) + (k * g.bias_group + o * g.bias_step), 0, z, SIZE, out)
         end
      end
   end
end

-- image = the transposed convolution of the maps with weight, + bias.
local function spread_planes(g, from, to)
   local plan, out, area = g.plan, g.plan.out, g.plan.area
   local cuts, tap, axpy, v = plan.cuts, plan.tap, cast(axpy_t, g.axpy), memory(plan.strip)
   for q = from, to - 1 do
      local k, x, y = plane_of(g, q)
      fill(v, plan.strip * SIZE)
      for o = 0, g.outputs - 1 do
         local z, w = y + o * out, cast(p_t, g.weight) + (k * g.weight_group + o * g.weight_row)
         for r = 0, cuts.count - 1 do
            n_[0] = cuts.size[r]
            axpy(n_, w + tap[r], z + cuts.to[r], one, v + cuts.from[r], one)
         end
      end
      fill(x, area * SIZE)
      unstrips(g, plan, 1, v, x)
      if g.bias ~= nil then runs.add_bias(g, plan, x, 1, 1, cast(p_t, g.bias) + k * g.bias_group) end
   end
end

-- weight += scale * maps image', for the groups `from` to `to` - 1.
local function weigh_planes(g, from, to)
   local plan, out, outputs, groups = g.plan, g.plan.out, g.outputs, g.groups
   local cuts, tap, dot, v = plan.cuts, plan.tap, cast(dot_t, g.dot), strips_of(plan)
   for q = from * g.images, to * g.images - 1 do
      local group = floor(q / g.images)
      local k, x, y = plane_of(g, (q - group * g.images) * groups + group)
      strips(g, plan, 1, x, v)
      for o = 0, outputs - 1 do
         local z, w = y + o * out, cast(p_t, g.weight) + (k * g.weight_group + o * g.weight_row)
         for r = 0, cuts.count - 1 do
            n_[0] = cuts.size[r]
            local at = tap[r]
            w[at] = get(w, at) + g.scale * returned(dot(n_, v + cuts.from[r], one, z + cuts.to[r], one))
         end
      end
   end
end

-- By the number of the work, see column_engine.lua.
return { [11] = correlate_planes, [12] = spread_planes, [13] = weigh_planes }
end

-- Products of the values of volumes: an output slice is the sum of products of input slices with those of the kernel,
-- each of which is a convolution of images (winograd_kernels.lua). For one element type, in the main state and in
-- workers; winograd_chunks.lua has the struct.

return function(T, gemm)

local floor, max, min = math.floor, math.max, math.min
local ffi = require 'ffi'
local cast, fill = ffi.cast, ffi.fill
local SIZE, p_t = T.size, T.pointer_ct

-- Points of a tile.
local ALL = 36

-- Output slices of the block to which slice a of the kernel contributes, from number p to q - 1, and the number of the
-- input slice for p.
local function slices(g, a)
   local high = g.high
   local from, to = floor(g.first / high) % g.depth, floor(g.to_first / high) % g.out_depth
   local ahead = to - from + (g.spread == 1 and g.pad_t - a or a - g.pad_t)
   local p = max(0, -ahead)
   return p, min((g.to_last - g.to_first) / high, (g.last - g.first) / high - ahead), p + ahead
end

-- The products of volumes at some points, summed over the slices of the kernel.
local function multiply_slices(g, from, to)
   local fn, planes, outputs, spread = g.gemm, g.planes, g.outputs, g.spread == 1
   local area, n, m = g.high * g.wide, (g.last - g.first) * g.wide, (g.to_last - g.to_first) * g.wide
   local weights, pitch = cast(p_t, g.transformed), spread and outputs or planes
   for i = from, to - 1 do
      local values, maps = cast(p_t, g.inputs) + i * planes * n, cast(p_t, g.maps) + i * outputs * m
      fill(maps, outputs * m * SIZE)
      for a = 0, g.deep - 1 do
         local p, q, x = slices(g, a)
         if q > p then
            gemm(fn, spread, false, outputs, (q - p) * area, planes, 1,
               weights + (a * ALL + i) * planes * outputs, pitch, values + x * area, n, 1, maps + p * area, m)
         end
      end
   end
end

-- Sums of the products of gradients and inputs of volumes at some points.
local function weigh_slices(g, from, to)
   local planes, outputs, area = g.planes, g.outputs, g.high * g.wide
   local n, m = (g.last - g.first) * g.wide, (g.to_last - g.to_first) * g.wide
   for i = from, to - 1 do
      for a = 0, g.deep - 1 do
         local p, q, x = slices(g, a)
         local sums = cast(p_t, g.transformed) + (a * ALL + i) * planes * outputs
         if g.to_first == 0 then fill(sums, planes * outputs * SIZE) end
         if q > p then
            gemm(g.gemm, false, true, outputs, planes, (q - p) * area, 1,
               cast(p_t, g.maps) + (i * outputs * m + p * area), m,
               cast(p_t, g.inputs) + (i * planes * n + x * area), n, 1, sums, planes)
         end
      end
   end
end

-- By the number of the work, see winograd_engine.lua.
return { [7] = multiply_slices, [8] = weigh_slices }
end

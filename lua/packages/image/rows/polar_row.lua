-- Images whose rows are angles, and whose columns are distances from the middle.

local ffi, float = require 'ffi', require 'image.float'
local coordinates = require 'image.rows.coordinates'
local cos, exp, floor, log = math.cos, math.exp, math.floor, math.log
local min, pi, sin, sqrt = math.min, math.pi, math.sin, math.sqrt
local four, outside = coordinates.four, coordinates.outside

-- The distance from the middle of column i of n, when the last but one is at `reach`.
local function even(i, n, reach) return float(reach * i / n) end

local function logarithmic(i, n, reach) return float(exp(float(i * float(log(reach)) / n))) end

-- Writes the four taps around (x, y); at the last row and column the element there alone.
local function write_four(at, weight, i, x, y, left, top, width, height)
   if left + 1 >= width or top + 1 >= height then
      four(at, weight, i, left, top, left, top, 0, 0, width)
   else
      four(at, weight, i, x, y, left, top, 1, 1, width)
   end
end

return function(g)
   local width, height, to_width, to_height, bilinear = g.width, g.height, g.to_width, g.to_height, g.mode > 0
   local distance, K = g.logarithmic > 0 and logarithmic or even, g.taps
   local xc, yc = float(width / 2), float(height / 2)
   local reach = g.full > 0 and float(sqrt(width * width + height * height) / 2) or min(xc, yc)
   local radius = ffi.new('double[?]', to_width)
   for i = 0, to_width - 1 do radius[i] = distance(i, to_width, reach) end
   return function(y, at, weight)
      local angle = float(2 * pi * y / to_height)
      local down, right = cos(angle), -sin(angle)
      for i = 0, to_width - 1 do
         local py, px = radius[i] * down + yc, radius[i] * right + xc
         local top, left = floor(py), floor(px)
         if left < 0 or top < 0 or left >= width or top >= height then
            outside(at, weight, i, K, width * height)
         elseif bilinear then
            write_four(at, weight, i, px, py, left, top, width, height)
         else
            at[i] = top * width + left
         end
      end
   end
end

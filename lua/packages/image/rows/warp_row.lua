-- Images sampled at a field of positions.

local ffi = require 'ffi'
local coordinates, taps = require 'image.rows.coordinates', require 'image.taps'
local abs, floor, max, min, pi, sin = math.abs, math.floor, math.max, math.min, math.pi, math.sin

-- f(at, weight, i, x, y, width, height) of each mode, simple, bilinear, bicubic and lanczos, writes the taps around a
-- position inside of the image.
local modes = {}

modes[0] = function(at, _, i, x, y, width, height)
   at[i] = min(floor(y + 0.5), height - 1) * width + min(floor(x + 0.5), width - 1)
end

modes[1] = function(at, weight, i, x, y, width, height)
   local left, top = floor(x), floor(y)
   coordinates.four(at, weight, i, x, y, left, top, min(1, width - 1 - left), min(1, height - 1 - top), width)
end

-- Taps of a square of 2 * reach elements: products of weights by column and by row. Beyond the edge the edge goes on.
local function square(reach, weights)
   local side = 2 * reach
   local by_column, by_row = ffi.new('double[?]', side), ffi.new('double[?]', side)
   return function(at, weight, i, x, y, width, height)
      local left, top, j = floor(x), floor(y), side * side * i
      weights(by_column, x - left)
      weights(by_row, y - top)
      for v = 0, side - 1 do
         local row = max(0, min(top + v - reach + 1, height - 1)) * width
         for u = 0, side - 1 do
            at[j] = row + max(0, min(left + u - reach + 1, width - 1))
            weight[j] = by_row[v] * by_column[u]
            j = j + 1
         end
      end
   end
end

-- The cubic through four neighbours, which is not the smoother one of image.scale.
modes[2] = square(2, function(to, part)
   local before, after, far = part + 1, part - 1, part - 2
   to[0], to[1] = -part * after * far / 6, before * after * far / 2
   to[2], to[3] = -before * part * far / 2, before * part * after / 6
end)

-- A sinc windowed by a wider one, normalised so that constants are preserved.
modes[3] = square(3, function(to, part)
   local sum = 0
   for k = 0, 5 do
      local d = abs(part - (k - 2))
      local value = 1
      if d >= 3 then
         value = 0
      elseif d >= 1e-6 then
         value = 3 * sin(pi * d) * sin(pi * d / 3) / (pi * pi * d * d)
      end
      to[k], sum = value, sum + value
   end
   for k = 0, 5 do to[k] = to[k] / sum end
end)

local get = taps.getter 'double'

-- Positions outside of the image are moved to its edge, or get the padding.
return function(g)
   local width, height, to_width = g.width, g.height, g.to_width
   local write, K = modes[g.mode], g.taps
   local down, right = g.field, g.field + g.to_height * to_width
   local unit, padded = g.relative, g.padded > 0
   return function(y, at, weight)
      local start = y * to_width
      for i = 0, to_width - 1 do
         local px, py = get(right, start + i) + unit * i, get(down, start + i) + unit * y
         if px >= 0 and py >= 0 and px <= width - 1 and py <= height - 1 then
            write(at, weight, i, px, py, width, height)
         elseif padded then
            coordinates.outside(at, weight, i, K, width * height)
         else
            -- Comparisons that are false for nan.
            px = px > 0 and min(px, width - 1) or 0
            py = py > 0 and min(py, height - 1) or 0
            write(at, weight, i, px, py, width, height)
         end
      end
   end
end

-- Images that are turned by an angle.

local ffi, float = require 'ffi', require 'image.float'
local coordinates = require 'image.rows.coordinates'
local four, outside = coordinates.four, coordinates.outside
local cos, floor, sin = math.cos, math.floor, math.sin
local arshift, band, bnot, bor = bit.arshift, bit.band, bit.bnot, bit.bor

-- Fills xs and ys with the positions in the image of a row of the result, in float precision, which decides ties of
-- rounding. `by_cos` and `by_sin` are the rotated distances of the columns from the center.
local function positions(xs, ys, by_cos, by_sin, across, along, xc, yc, n)
   for i = 0, n - 1 do
      xs[i], ys[i] = by_cos[i] - across, along + by_sin[i]
      xs[i], ys[i] = xs[i] + xc, ys[i] + yc
   end
end

-- Writes the four taps around (x, y). Positions beyond the image by less than half an element are those of its edge.
local function write_four(at, weight, i, x, y, width, height)
   local left, top = floor(x), floor(y)
   local right, below = left + 1, top + 1
   local part_x, part_y = x - left, y - top
   if right == width and part_x < 0.5 then right = left end
   if below == height and part_y < 0.5 then below = top end
   if left == -1 and part_x > 0.5 then left, x = right, x + 1 end
   if top == -1 and part_y > 0.5 then top, y = below, y + 1 end
   -- Comparisons that are false for nan.
   if not (left >= 0 and top >= 0 and right < width and below < height) then
      return outside(at, weight, i, 4, width * height)
   end
   four(at, weight, i, x, y, left, top, right - left, below - top, width)
end

-- Writes the indices of the elements nearest to the positions, `area` for those outside. Columns and lines count from
-- 1, so that truncation rounds. A sign bit marks elements outside; there are no branches.
local function write_nearest(at, columns, lines, xs, ys, width, height, n)
   for i = 0, n - 1 do columns[i], lines[i] = xs[i] + 1.5, ys[i] + 1.5 end
   local skip, area = width + 1, width * height
   for i = 0, n - 1 do
      local column, line = columns[i], lines[i]
      local outside_bits = arshift(bor(column - 1, line - 1, width - column, height - line), 31)
      at[i] = bor(band(line * width + column - skip, bnot(outside_bits)), band(area, outside_bits))
   end
end

return function(g)
   local width, height, to_width, theta = g.width, g.height, g.to_width, float(g.angle)
   local c, s = float(cos(theta)), float(sin(theta))
   local xc, yc = float((width - 1) / 2), float((height - 1) / 2)
   local by_cos, by_sin = ffi.new('float[?]', to_width), ffi.new('float[?]', to_width)
   local xs, ys = ffi.new('float[?]', to_width), ffi.new('float[?]', to_width)
   for i = 0, to_width - 1 do by_cos[i], by_sin[i] = c * (i - xc), s * (i - xc) end
   if g.mode > 0 then
      return function(y, at, weight)
         positions(xs, ys, by_cos, by_sin, float(s * (y - yc)), float(c * (y - yc)), xc, yc, to_width)
         for i = 0, to_width - 1 do write_four(at, weight, i, xs[i], ys[i], width, height) end
      end
   end
   local columns, lines = ffi.new('int32_t[?]', to_width), ffi.new('int32_t[?]', to_width)
   return function(y, at)
      positions(xs, ys, by_cos, by_sin, float(s * (y - yc)), float(c * (y - yc)), xc, yc, to_width)
      write_nearest(at, columns, lines, xs, ys, width, height, to_width)
   end
end

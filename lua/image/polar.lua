-- image.polar and image.logpolar: angles become rows, distances from the middle columns.

local ffi = require 'ffi'
local forms, resample = require 'image.forms', require 'image.resample'
local raise = require('torch.core.errors').raise
local cos, exp, floor, log = math.cos, math.exp, math.floor, math.log
local max, min, pi, sin, sqrt = math.max, math.min, math.pi, math.sin, math.sqrt
local four, outside = resample.four, resample.outside

local cell = ffi.new 'float[1]'
local function float(x)
   cell[0] = x
   return cell[0]
end

local distances = {}

-- The distance from the middle of column i of n, when the last but one is at `reach`.
function distances.polar(i, n, reach) return float(reach * i / n) end

function distances.logpolar(i, n, reach) return float(exp(float(i * float(log(reach)) / n))) end

-- Writes the four taps around (x, y); at the last row and column the element there alone.
local function write_four(at, weight, i, x, y, left, top, width, height)
   if left + 1 >= width or top + 1 >= height then
      four(at, weight, i, left, top, left, top, 0, 0, width)
   else
      four(at, weight, i, x, y, left, top, 1, 1, width)
   end
end

local function rows(kind, full, width, height, to_width, to_height, bilinear)
   local xc, yc = float(width / 2), float(height / 2)
   local reach = full and float(sqrt(width * width + height * height) / 2) or min(xc, yc)
   local radius = ffi.new('double[?]', to_width)
   for i = 0, to_width - 1 do radius[i] = distances[kind](i, to_width, reach) end
   return function(y, at, weight)
      local angle = float(2 * pi * y / to_height)
      local down, right = cos(angle), -sin(angle)
      for i = 0, to_width - 1 do
         local py, px = radius[i] * down + yc, radius[i] * right + xc
         local top, left = floor(py), floor(px)
         if left < 0 or top < 0 or left >= width or top >= height then
            outside(at, weight, i, bilinear and 4 or 1, width * height)
         elseif bilinear then
            write_four(at, weight, i, px, py, left, top, width, height)
         else
            at[i] = top * width + left
         end
      end
   end
end

local modes, extents = { 'simple', 'bilinear' }, { 'valid', 'full' }

return function(image)
   -- polar([r,] x [, mode [, extent]]): the circle within the image ('valid'), or around it ('full').
   for _, name in ipairs { 'polar', 'logpolar' } do
      image[name] = function(...)
         local r, x, mode, extent = forms.split(1, ...)
         forms.image(name, x)
         mode = forms.word(name, 'mode', mode, 'simple', modes)
         extent = forms.word(name, 'extent', extent, 'valid', extents)
         local dim = x:dim()
         if not r then
            if dim ~= 3 then
               raise('%s: image of 3 dimensions expected without a result (got %s)', name, forms.describe(x))
            end
            local side = max(x:size(2), x:size(3))
            r = x.new(x:size(1), side, side)
         end
         forms.planes(name, r, x)
         local bilinear = mode == 'bilinear'
         local row = rows(name, extent == 'full', x:size(dim), x:size(dim - 1), r:size(dim), r:size(dim - 1),
            bilinear)
         return resample.run(r, x, bilinear and 4 or 1, 0, row)
      end
   end
end

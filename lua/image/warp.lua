-- image.warp and image.affinetransform: images read where a field of positions says.

local ffi = require 'ffi'
local forms, resample, taps = require 'image.forms', require 'image.resample', require 'image.taps'
local errors, memory, torch = require 'torch.core.errors', require 'torch.memory.blocks', require 'torch'
local abs, floor, max, min, pi, sin = math.abs, math.floor, math.max, math.min, math.pi, math.sin
local raise = errors.raise

-- What `write(at, weight, i, x, y, width, height)` of a mode writes: K taps around a position inside of the image.
local modes = {}

modes.simple = { K = 1, write = function(at, _, i, x, y, width, height)
   at[i] = min(floor(y + 0.5), height - 1) * width + min(floor(x + 0.5), width - 1)
end }

modes.bilinear = { K = 4, write = function(at, weight, i, x, y, width, height)
   local left, top = floor(x), floor(y)
   resample.four(at, weight, i, x, y, left, top, min(1, width - 1 - left), min(1, height - 1 - top), width)
end }

-- Taps of a square of 2 * reach elements: products of weights by column and by row. Beyond the edge the edge goes on.
local function square(reach, weights)
   local side = 2 * reach
   local by_column, by_row = ffi.new('double[?]', side), ffi.new('double[?]', side)
   return { K = side * side, write = function(at, weight, i, x, y, width, height)
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
   end }
end

modes.bicubic = square(2, function(to, part)
   to[0], to[1], to[2], to[3] = taps.cubic(part)
end)

-- A sinc windowed by a wider one, normalised so that constants stay what they are.
modes.lanczos = square(3, function(to, part)
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

-- f(y, at, weight): positions of a row from the field; those outside of the image are moved to its edge, or get the
-- padding.
local function rows(mode, down, right, relative, padded, width, height, to_width)
   local write, K = modes[mode].write, modes[mode].K
   local unit = relative and 1 or 0
   return function(y, at, weight)
      local start = y * to_width
      for i = 0, to_width - 1 do
         local px, py = right[start + i] + unit * i, down[start + i] + unit * y
         if px >= 0 and py >= 0 and px <= width - 1 and py <= height - 1 then
            write(at, weight, i, px, py, width, height)
         elseif padded then
            resample.outside(at, weight, i, K, width * height)
         else
            -- Comparisons that are false for nan.
            px = px > 0 and min(px, width - 1) or 0
            py = py > 0 and min(py, height - 1) or 0
            write(at, weight, i, px, py, width, height)
         end
      end
   end
end

local names = { 'simple', 'bilinear', 'bicubic', 'lanczos' }

local function check_padding(name, clamp, value)
   if value ~= nil and clamp ~= 'pad' then
      raise("%s: pad_value goes with clamp_mode 'pad' (got %s with '%s')", name, forms.describe(value), clamp)
   end
end

local function run(name, r, x, field, mode, relative, clamp, value)
   forms.image(name, x)
   if not torch.isTensor(field) or field:dim() ~= 3 or field:size(1) ~= 2 then
      raise('%s: field of sizes 2 x height x width expected (got %s)', name, forms.describe(field))
   end
   mode = forms.word(name, 'mode', mode, 'bilinear', names)
   clamp = forms.word(name, 'clamp_mode', clamp, 'clamp', { 'clamp', 'pad' })
   check_padding(name, clamp, value)
   value = forms.number(name, 'pad_value', value, 0)
   local dim, height, width = x:dim(), field:size(2), field:size(3)
   if not r then
      r = dim == 3 and x.new(x:size(1), height, width) or x.new(height, width)
   else
      forms.result(name, r, x)
      if dim == 3 then r:resize(x:size(1), height, width) else r:resize(height, width) end
   end
   local source = forms.apart(x, r)
   field = field:double():contiguous()
   local down, right = field:data(), field:data() + height * width
   local row = rows(mode, down, right, relative, clamp == 'pad', x:size(dim), x:size(dim - 1), width)
   resample.run(r, source, modes[mode].K, value, row)
   memory.alive(field)
   return r
end

return function(image)
   -- warp([r,] x, field [, mode [, relative [, clamp_mode [, pad_value]]]]): r[i][j] is x read at field[1][i][j] down
   -- and field[2][i][j] right, relative to (i, j) unless `relative` is false.
   function image.warp(...)
      local r, x, field, mode, relative, clamp, value = forms.split(2, ...)
      if relative == nil then relative = true end
      return run('warp', r, x, field, mode, relative, clamp, value)
   end

   -- affinetransform([r,] x, matrix [, mode [, translation [, clamp_mode [, pad_value]]]]): positions, as (down, right)
   -- from the middle, are multiplied by the matrix and moved back by the translation.
   function image.affinetransform(...)
      local r, x, matrix, mode, translation, clamp, value = forms.split(2, ...)
      forms.image('affinetransform', x)
      if not torch.isTensor(matrix) or matrix:dim() ~= 2 or matrix:size(1) ~= 2 or matrix:size(2) ~= 2 then
         raise('affinetransform: matrix of 2 x 2 expected (got %s)', forms.describe(matrix))
      end
      local move_y, move_x = 0, 0
      if translation ~= nil then
         if not torch.isTensor(translation) or translation:nElement() ~= 2 then
            raise('affinetransform: translation of 2 elements expected (got %s)', forms.describe(translation))
         end
         local moves = translation:contiguous():view(-1)
         move_y, move_x = moves[1], moves[2]
      end
      local dim = x:dim()
      local height, width = x:size(dim - 1), x:size(dim)
      local a, b, c, d = matrix[1][1], matrix[1][2], matrix[2][1], matrix[2][2]
      local yc, xc = (height - 1) / 2, (width - 1) / 2
      local field = torch.DoubleTensor(2, height, width)
      local p, at = field:data(), 0
      for y = 0, height - 1 do
         for i = 0, width - 1 do
            local dy, dx = y - yc, i - xc
            p[at], p[at + height * width] = a * dy + b * dx + yc - move_y, c * dy + d * dx + xc - move_x
            at = at + 1
         end
      end
      memory.alive(field)
      return run('affinetransform', r, x, field, mode, false, clamp, value)
   end
end

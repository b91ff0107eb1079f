-- Images read at positions that are computed for each element of the result: what rotate, polar and warp share.

local ffi = require 'ffi'
local forms, taps = require 'image.forms', require 'image.taps'
local errors, memory = require 'torch.core.errors', require 'torch.memory.blocks'
local copy = ffi.copy
local floor, max, min = math.floor, math.max, math.min

local resample = {}

-- Each plane of x with one more element behind it, `value`: what taps of outputs outside of the image read.
local function extended(x, kind, planes, area, value)
   x = x:contiguous()
   local wide, from = taps.scratch(kind, planes * (area + 1)), x:data()
   for p = 0, planes - 1 do
      copy(wide + p * (area + 1), from + p * area, area * taps.size[kind])
      wide[p * (area + 1) + area] = value
   end
   memory.alive(x)
   return wide
end

-- Loops over many outputs at once cost less than loops over short rows.
local AT_ONCE = 8192

-- Fills r from x. `row(y, at, weight)` writes the K taps of the outputs of row y; an index of `area`, the number of
-- elements of a plane, stands for `value`. With one tap there are no weights.
function resample.run(r, x, K, value, row)
   local dim = x:dim()
   local planes = dim == 3 and x:size(1) or 1
   local kind = forms.type_names[x:type()]
   local height, width, area = r:size(dim - 1), r:size(dim), x:size(dim - 1) * x:size(dim)
   if area >= 2 ^ 31 then errors.raise('image of less than 2^31 elements expected (got %s)', forms.shape(x)) end
   local from = extended(x, kind, planes, area, value)
   local target = forms.target(r, x)
   local to = target:data()
   local lines = min(height, max(1, floor(AT_ONCE / (width * K))))
   local at, weight = taps.room(lines * width, K)
   local along = K > 1 and taps.along(kind, K) or nil
   local pick = taps.pick[kind]
   for y = 0, height - 1, lines do
      local count = min(lines, height - y)
      for k = 0, count - 1 do row(y + k, at + k * width * K, weight + k * width * K) end
      for p = 0, planes - 1 do
         local first, plane = to + (p * height + y) * width, from + p * (area + 1)
         if along then
            along(first, plane, at, weight, nil, count * width)
         else
            pick(first, plane, at, count * width)
         end
      end
   end
   memory.alive(target, from, at, weight)
   return forms.finish(r, target)
end

-- Lets all taps of output i read the value for what lies outside.
function resample.outside(at, weight, i, K, area)
   for k = 0, K - 1 do at[i * K + k], weight[i * K + k] = area, 0 end
   weight[i * K] = 1
end

-- Writes the four taps around (x, y) and their weights at position i. The left and upper ones are at `left` and `top`,
-- the others `right` and `below` elements further.
function resample.four(at, weight, i, x, y, left, top, right, below, width)
   local j, first = 4 * i, top * width + left
   local part_x, part_y = x - left, y - top
   below = below * width
   at[j], at[j + 1], at[j + 2], at[j + 3] = first, first + right, first + below, first + below + right
   weight[j], weight[j + 1] = (1 - part_y) * (1 - part_x), (1 - part_y) * part_x
   weight[j + 2], weight[j + 3] = part_y * (1 - part_x), part_y * part_x
end

return resample

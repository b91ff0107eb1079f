-- Convolutions whose kernels cover the whole image: images, maps and weights are rows of matrices.

local lazy_table = require 'torch.jit.lazy_table'

local matrix_engine = {}

-- Tells whether a convolution with the sizes of a plan and a shape is such a product.
function matrix_engine.suits(p, shape)
   local s = p.numbers
   return shape.groups == 1 and p.plan.out == 1 and s[4] == s[1] and s[5] == s[2] and s[6] == s[3]
      and s[10] == 0 and s[11] == 0 and s[12] == 0
end

-- Images, weights and maps as matrices.
local function matrices(p, shape, image, weight, map)
   local images, outputs, inner = shape.images, shape.outputs, shape.planes * p.plan.taps
   return image:view(images, inner), weight:view(outputs, inner), map:view(images, outputs)
end

local row_of, getters = {}, lazy_table(function(k) return k.getter() end)

-- Fills each row of `to`, one per image and `count` in all, with the biases, each `area` times.
local function set_biases(k, images, count, area, bias, to)
   local row = k.sized(row_of[k], count * area)
   row_of[k] = row
   local z, from, get = k.ptr(row), k.ptr(bias), getters[k]
   for i = 0, count - 1 do
      for j = i * area, (i + 1) * area - 1 do z[j] = get(from, i) end
   end
   k.set_rows(images, count * area, z, k.ptr(to))
   k.alive(row, bias, to)
end

-- map = weight * image + bias.
function matrix_engine.correlate(k, p, shape, image, weight, bias, map)
   local x, w, y = matrices(p, shape, image, weight, map)
   if bias then set_biases(k, shape.images, shape.outputs, 1, bias, map) end
   k.product(y, bias and 1 or 0, 1, false, x, true, w)
end

-- image = the transposed convolution of the map with weight, + bias.
function matrix_engine.spread(k, p, shape, map, weight, bias, image)
   local x, w, y = matrices(p, shape, image, weight, map)
   if bias then set_biases(k, shape.images, shape.planes, p.plan.taps, bias, image) end
   k.product(x, bias and 1 or 0, 1, false, y, false, w)
end

-- weight += scale * map image'.
function matrix_engine.weigh(k, p, shape, image, map, weight, scale)
   local x, w, y = matrices(p, shape, image, weight, map)
   k.product(w, 1, scale, true, y, false, x)
end

return matrix_engine

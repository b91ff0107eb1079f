-- Convolutions whose kernels cover the whole image: images, maps and weights are rows of matrices.

local lazy_table = require 'torch.jit.lazy_table'

local matrix_engine = {}

-- Tells whether a convolution of a shape is such a product.
function matrix_engine.suits(shape)
   if shape.groups ~= 1 then return false end
   for d = 0, 2 do
      if shape.map[d] ~= 1 or shape.kernel[d] ~= shape.image[d] or shape.pad[d] ~= 0 then return false end
   end
   return true
end

local function taps_of(shape) return shape.kernel[0] * shape.kernel[1] * shape.kernel[2] end

-- Images, weights and maps as matrices.
local function matrices(shape, image, weight, map)
   local images, outputs, inner = shape.images, shape.outputs, shape.planes * taps_of(shape)
   return image:view(images, inner), weight:view(outputs, inner), map:view(images, outputs)
end

local row_of, getters = {}, lazy_table(function(k) return k.getter() end)

-- Fills each row of `to`, one per image and `count` in all, with the biases, each `area` times.
local function set_biases(k, images, count, area, bias, to)
   local row = k.resized(row_of[k], count * area)
   row_of[k] = row
   local z, from, get = k.ptr(row), k.ptr(bias), getters[k]
   for i = 0, count - 1 do
      for j = i * area, (i + 1) * area - 1 do z[j] = get(from, i) end
   end
   k.set_rows(images, count * area, z, k.ptr(to))
   k.keep_alive(row, bias, to)
end

-- map = weight * image + bias.
function matrix_engine.correlate(k, shape, image, weight, bias, map)
   local x, w, y = matrices(shape, image, weight, map)
   if bias then set_biases(k, shape.images, shape.outputs, 1, bias, map) end
   k.product(y, bias and 1 or 0, 1, false, x, true, w)
end

-- image = the transposed convolution of the map with weight, + bias.
function matrix_engine.correlate_transposed(k, shape, map, weight, bias, image)
   local x, w, y = matrices(shape, image, weight, map)
   if bias then set_biases(k, shape.images, shape.planes, taps_of(shape), bias, image) end
   k.product(x, bias and 1 or 0, 1, false, y, false, w)
end

-- weight += scale * map image'.
function matrix_engine.add_weight_gradient(k, shape, image, map, weight, scale)
   local x, w, y = matrices(shape, image, weight, map)
   k.product(w, 1, scale, true, y, false, x)
end

return matrix_engine

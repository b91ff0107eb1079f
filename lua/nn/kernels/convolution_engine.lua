-- Convolutions between images and maps by the kernels of t7shell/native/nn/convolution.h. The image is the side that
-- windows move over: the input of a convolution, the output of a transposed one. All tensors are contiguous and have
-- the sizes of a shape, a t7_conv_shape. See docs/decisions/0027-convolutions.md and
-- docs/decisions/0029-convolutions-without-columns.md.

local floor = math.floor
local ffi, lazy_table, kernel = require 'ffi', require 'torch.jit.lazy_table', require 'nn.kernels.kernel'
local lib = require 'torch.native.kernels' 'nn/convolution'

local convolution_engine = {}

local shape_t = ffi.typeof 't7_conv_shape'

-- A shape with windows of one element that do not move, without padding, for one image.
function convolution_engine.shape()
   local s = shape_t(1, 1, 1, 1)
   for d = 0, 2 do
      s.image[d], s.kernel[d], s.stride[d], s.dilation[d], s.map[d] = 1, 1, 1, 1, 1
   end
   return s
end

-- The output size of a dimension: kernel k, stride d, padding p on both sides, dilation l.
function convolution_engine.output(size, k, d, p, l)
   return floor((size + 2 * p - (l * (k - 1) + 1)) / d) + 1
end

-- The functions by name and type.
local functions = {}
for _, name in ipairs { 'conv_forward', 'conv_back', 'conv_weights', 'conv_biases', 'unfold', 'fold' } do
   functions[name] = kernel.functions(lib, 't7_' .. name)
end

local scratch_of = {}

local function scratch_for(k, shape)
   local scratch = k.resized(scratch_of[k], lib.t7_conv_scratch(shape, k.SIZE) / k.SIZE)
   scratch_of[k] = scratch
   return scratch
end

-- Tells whether the kernels of a shape cover the whole image: images, maps and weights are then rows of matrices, and
-- convolutions are products of these.
local function is_product(shape)
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

local function multiply(k, shape, image, weight, bias, map)
   local x, w, y = matrices(shape, image, weight, map)
   if bias then set_biases(k, shape.images, shape.outputs, 1, bias, map) end
   k.product(y, bias and 1 or 0, 1, false, x, true, w)
end

local function multiply_transposed(k, shape, map, weight, bias, image)
   local x, w, y = matrices(shape, image, weight, map)
   if bias then set_biases(k, shape.images, shape.planes, taps_of(shape), bias, image) end
   k.product(x, bias and 1 or 0, 1, false, y, false, w)
end

local function add_outer_product(k, shape, image, map, weight, scale)
   local x, w, y = matrices(shape, image, weight, map)
   k.product(w, 1, scale, true, y, false, x)
end

-- map = weight * image + bias.
function convolution_engine.correlate(k, shape, image, weight, bias, map)
   if is_product(shape) then return multiply(k, shape, image, weight, bias, map) end
   local scratch = scratch_for(k, shape)
   functions.conv_forward[k](shape, k.ptr(image), k.ptr(weight), bias and k.ptr(bias), k.ptr(map), k.ptr(scratch))
   k.keep_alive(image, weight, bias, map, scratch)
end

-- image = the transposed convolution of the map with weight, + bias.
function convolution_engine.correlate_transposed(k, shape, map, weight, bias, image)
   if is_product(shape) then return multiply_transposed(k, shape, map, weight, bias, image) end
   local scratch = scratch_for(k, shape)
   functions.conv_back[k](shape, k.ptr(map), k.ptr(weight), bias and k.ptr(bias), k.ptr(image), k.ptr(scratch))
   k.keep_alive(image, weight, bias, map, scratch)
end

-- weight += scale * map image'.
function convolution_engine.add_weight_gradient(k, shape, image, map, weight, scale)
   if is_product(shape) then return add_outer_product(k, shape, image, map, weight, scale) end
   local scratch = scratch_for(k, shape)
   functions.conv_weights[k](shape, k.ptr(image), k.ptr(map), scale, k.ptr(weight), k.ptr(scratch))
   k.keep_alive(image, map, weight, scratch)
end

local planes = convolution_engine.shape()

-- bias += scale * the sums of planes of y, of `area` elements, over all images. Planes count `outputs` per group;
-- biases count the groups per output.
function convolution_engine.sum_planes(k, images, outputs, groups, area, scale, y, bias)
   planes.images, planes.groups, planes.outputs, planes.map[2] = images, groups, outputs, area
   functions.conv_biases[k](planes, k.ptr(y), scale, k.ptr(bias))
   k.keep_alive(y, bias)
end

-- The columns of image s of a tensor: a row for each element of the kernel of each plane.
function convolution_engine.unfold(k, shape, image, s, columns)
   local size = shape.planes * shape.image[0] * shape.image[1] * shape.image[2]
   functions.unfold[k](shape, k.ptr(image) + s * size, k.ptr(columns))
   k.keep_alive(image, columns)
end

-- Folds columns back into image s.
function convolution_engine.fold(k, shape, columns, s, image)
   local size = shape.planes * shape.image[0] * shape.image[1] * shape.image[2]
   functions.fold[k](shape, k.ptr(columns), k.ptr(image) + s * size)
   k.keep_alive(image, columns)
end

require 'nn.kernels.sparse_convolution'(convolution_engine, functions, scratch_for)

return convolution_engine

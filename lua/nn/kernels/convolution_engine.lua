-- Convolutions of 1, 2 and 3 dimensions between images and maps: plans that are kept between calls, and the choice of
-- an engine, which depends on sizes alone. The image is the side that is unfolded: the input of a convolution, the
-- output of a transposed one. All tensors are contiguous and have the sizes given by `shape` and the plan.

local unfold_plan, column_engine = require 'nn.kernels.unfold_plan', require 'nn.kernels.column_engine'
local matrix_engine, winograd_engine = require 'nn.kernels.matrix_engine', require 'nn.kernels.winograd_engine'
local direct_engine, plan_cache = require 'nn.kernels.direct_engine', require 'nn.kernels.plan_cache'

local convolution_engine = {
   -- plan(module, numbers): t, h, w of the image, the kernel, stride, padding, dilation and the map.
   plan = plan_cache(unfold_plan.new),
   unfold = column_engine.unfold, fold = column_engine.fold, sum_planes = column_engine.sum_planes,
}

-- The engine for 'correlate', 'spread' or 'weigh', which names its function.
local function engine_of(k, p, shape, what)
   if matrix_engine.suits(p, shape) then return matrix_engine end
   if winograd_engine.suits(p, shape, what == 'spread') then return winograd_engine end
   if direct_engine.suits(k, p, shape, what) then return direct_engine end
   return column_engine
end

-- map = weight * image + bias.
function convolution_engine.correlate(k, p, shape, image, weight, bias, map)
   engine_of(k, p, shape, 'correlate').correlate(k, p, shape, image, weight, bias, map)
end

-- image = the transposed convolution of the map with weight, + bias.
function convolution_engine.spread(k, p, shape, map, weight, bias, image)
   engine_of(k, p, shape, 'spread').spread(k, p, shape, map, weight, bias, image)
end

-- weight += scale * map image'.
function convolution_engine.weigh(k, p, shape, image, map, weight, scale)
   engine_of(k, p, shape, 'weigh').weigh(k, p, shape, image, map, weight, scale)
end

-- map = weight * image, and sums += scale * other image'.
function convolution_engine.correlate_and_weigh(k, p, shape, image, weight, map, other, sums, scale)
   local at_once = shape.groups == 1 and not k.shares(map, image) and not k.shares(map, other)
      and engine_of(k, p, shape, 'correlate') == column_engine and engine_of(k, p, shape, 'weigh') == column_engine
   if at_once and column_engine.correlate_and_weigh(k, p, shape, image, weight, map, other, sums, scale) then return end
   convolution_engine.correlate(k, p, shape, image, weight, nil, map)
   convolution_engine.weigh(k, p, shape, image, other, sums, scale)
end

require 'nn.kernels.sparse_convolution'(convolution_engine, column_engine.calls)

return convolution_engine

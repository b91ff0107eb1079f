-- Convolutions as parts of shared work: blocks of images of one call. Each state has kernels of its own.

local ffi = require 'ffi'
local loader, types = require 'torch.core.loader', require 'torch.core.types'
local cast = ffi.cast

require 'nn.convolution.plan'

-- Images in `blocks` of `block`. The steps are in elements: between images and maps, between the groups of one, between
-- the rows of weights, and between the `sums` that weights are summed in, 0 for other work.
ffi.cdef [[
typedef struct {
   t7_nn_plan *plan;
   char *image, *map, *weight, *bias, *columns;
   void *gemm, *add, *add_data, *copy;
   double scale, planes, outputs, images, block, blocks, groups, sums;
   double image_step, map_step, image_group, map_group, weight_group, bias_group, bias_step;
   double weight_row, weight_part;
   int32_t type, what;
} t7_nn_convolution;
]]

local pointer_ct = ffi.typeof 't7_nn_convolution *'

local made = {}

-- Loads a file of this folder for a type.
local function load(name, ...) return loader.load('nn.convolution.' .. name)(...) end

local function kernels(index)
   if not made[index] then
      local T = types.rows[index]
      local product, runs = load('product', T), load('runs', T)
      local one = load('one_image', T, product, runs)
      made[index] = load('kernels', T, product, runs, one)
      made[index].UNIT = one.UNIT
   end
   return made[index]
end

local parts = { kernels = kernels }

function parts.run(data, from, to)
   local g = cast(pointer_ct, data)
   kernels(g.type).run(g, from, to)
end

return parts

-- Convolutions as chunks for parallel_for: blocks of images of one call.

local ffi = require 'ffi'
local load, typed_chunks = require('torch.jit.loader').load, require 'nn.kernels.typed_chunks'

require 'nn.kernels.unfold_plan'

-- Images in `blocks` of `block`. Steps are in elements: between images and maps, between groups, between the rows of
-- weights, and between the partial `sums` of weights (0 for other work). If one unfolding serves a convolution and
-- sums, `weight` are the sums of `others`, and `kernels` the weights of the convolution. `turned` sums are transposed:
-- their rows are the elements of a kernel.
ffi.cdef [[
typedef struct {
   t7_nn_plan *plan;
   char *image, *map, *weight, *bias, *columns, *kernels, *others;
   void *gemm, *add, *add_data, *copy, *axpy, *dot;
   double scale, planes, outputs, images, block, blocks, groups, sums;
   double image_step, map_step, image_group, map_group, weight_group, bias_group, bias_step;
   double weight_row, weight_part;
   int32_t type, what, turned;
} t7_nn_convolution;
]]

-- Loads a file of this folder for a type.
local function made(name, ...) return load('nn.kernels.' .. name)(...) end

return typed_chunks('t7_nn_convolution', function(T)
   local product, runs = made('gemm', T), made('unfold_runs', T)
   local one, planes = made('one_image', T, product, runs), made('plane_kernels', T, runs)
   local kernels = made('convolution_kernels', T, product, runs, one, planes)
   kernels.UNIT = one.UNIT
   return kernels
end)

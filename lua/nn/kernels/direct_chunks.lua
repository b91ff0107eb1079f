-- Convolutions without columns as chunks for parallel_for, see direct_kernels.lua.

local ffi = require 'ffi'
local load, typed_chunks = require('torch.jit.loader').load, require 'nn.kernels.typed_chunks'

require 'nn.kernels.direct_plan'

-- A convolution of `from` with weights gives `to`; for gradients of weights, `from` is the image and `to` the map.
-- Steps are in elements: between images, between groups, and between the weights and biases of result planes and of
-- groups. Result planes are computed in `parts` of some blocks of `block`; with `own` there is one plane, and each of
-- its columns has separate weights. Weights that are `laid` out for blocks come from planes of `taps` elements, with
-- steps between those of source planes and of groups.
ffi.cdef [[
typedef struct {
   t7_nn_direct *plan;
   char *from, *to, *weight, *bias, *laid;
   void *tiles[6], *dots[3], *own_tile, *split, *merge, *copy, *axpy;
   double outputs, groups, images, parts, block, from_step, from_group, to_step, to_group, weight_row, weight_block,
      weight_group, bias_step, bias_group, scale, taps, source_row, source_group;
   int32_t type, what, own;
} t7_nn_direct_call;
]]

return typed_chunks('t7_nn_direct_call', function(T) return load 'nn.kernels.direct_kernels'(T) end)

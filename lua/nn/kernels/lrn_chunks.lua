-- Normalization across maps as chunks for parallel_for: images of one call.

local ffi = require 'ffi'
local load, typed_chunks = require('torch.jit.loader').load, require 'nn.kernels.typed_chunks'

require 'nn.kernels.typed_chunks'

-- `half` maps on each side count; alpha is already divided by the size.
ffi.cdef [[
typedef struct {
   char *x, *y, *scale, *go, *r; t7_nn_loop add, multiply, divide, log, exp;
   double maps, area, half, alpha, beta, k; int32_t type, back;
} t7_nn_lrn;
]]

return typed_chunks('t7_nn_lrn', load 'nn.kernels.lrn_kernels')

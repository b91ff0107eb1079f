-- Normalisation across maps as parts of shared work: images of one call.

local ffi = require 'ffi'
local load, typed_chunks = require('torch.jit.loader').load, require 'nn.kernels.typed_chunks'

require 'nn.kernels.batch_chunks'

-- The maps on each side that count are `half`; alpha is over the size already.
ffi.cdef [[
typedef struct {
   char *x, *y, *scale, *go, *r; t7_nn_loop add, multiply, divide, log, exp;
   double maps, area, half, alpha, beta, k; int32_t type, back;
} t7_nn_lrn;
]]

return typed_chunks('t7_nn_lrn', load 'nn.kernels.lrn_kernels')

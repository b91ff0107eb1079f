-- Pooling as chunks for parallel_for: planes of one call.

local ffi = require 'ffi'
local load, typed_chunks = require('torch.jit.loader').load, require 'nn.kernels.typed_chunks'

require 'nn.kernels.pooling_plan'
require 'nn.kernels.pooling_code'

-- `wrong` is set if an index is invalid; `back` is machine code.
ffi.cdef [[
typedef struct {
   t7_nn_windows *windows; char *x, *y, *index; void *dot, *back; int32_t type, what, wrong;
} t7_nn_pooling;
]]

-- The loops are loaded per type as well, so that their traces are not shared.
return typed_chunks('t7_nn_pooling', function(T)
   return load 'nn.kernels.pooling_kernels'(T, load 'nn.kernels.pooling_loops'(T))
end)

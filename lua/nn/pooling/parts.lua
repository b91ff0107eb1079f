-- Pooling as parts of shared work: planes of one call.

local ffi = require 'ffi'
local load, parts = require('torch.core.loader').load, require 'nn.parts'

require 'nn.pooling.plan'

-- `wrong` is set where an index is none.
ffi.cdef [[
typedef struct { t7_nn_windows *windows; char *x, *y, *index; void *dot; int32_t type, what, wrong; } t7_nn_pooling;
]]

-- Loops of their own, too: what is compiled for one type is not for another.
return parts('t7_nn_pooling', function(T) return load 'nn.pooling.kernels'(T, load 'nn.pooling.loops'()) end)

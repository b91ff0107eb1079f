-- Normalisation across maps as parts of shared work: images of one call.

local ffi = require 'ffi'
local loader, types = require 'torch.core.loader', require 'torch.core.types'
local cast = ffi.cast

require 'nn.normalization.batch_parts'

-- The maps on each side that count are `half`; alpha is over the size already.
ffi.cdef [[
typedef struct {
   char *x, *y, *scale, *go, *r; t7_nn_loop add, multiply, divide, log, exp;
   double maps, area, half, alpha, beta, k; int32_t type, back;
} t7_nn_lrn;
]]

local pointer_ct = ffi.typeof 't7_nn_lrn *'

local made, parts = {}, {}

function parts.run(data, from, to)
   local g = cast(pointer_ct, data)
   local index = g.type
   made[index] = made[index] or loader.load 'nn.normalization.lrn_kernels'(types.rows[index])
   made[index].run(g, from, to)
end

return parts

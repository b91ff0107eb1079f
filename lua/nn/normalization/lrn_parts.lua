-- Normalisation across maps as parts of shared work: images of one call.

local assert, debug, loadfile = assert, debug, loadfile
local ffi = require 'ffi'
local types = require 'torch.core.types'
local cast = ffi.cast

require 'nn.normalization.batch_parts'

-- The maps on each side that count are `half`; alpha is over the size already.
ffi.cdef [[
typedef struct {
   char *x, *y, *scale, *go, *r; t7_nn_loop add, multiply, divide, log, exp;
   double maps, area, half, alpha, beta, k; int32_t type, back;
} t7_nn_lrn;
]]

local here = debug.getinfo(1, 'S').source:match('^@(.*)lrn_parts%.lua$')
local pointer_ct = ffi.typeof 't7_nn_lrn *'

local made, parts = {}, {}

function parts.run(data, from, to)
   local g = cast(pointer_ct, data)
   local index = g.type
   if not made[index] then made[index] = assert(loadfile(here .. 'lrn_kernels.lua'))()(types.rows[index]) end
   made[index].run(g, from, to)
end

return parts

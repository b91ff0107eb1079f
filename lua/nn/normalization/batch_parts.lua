-- Batch normalisation as parts of shared work: planes of one call. Each state has kernels of its own.

local ffi = require 'ffi'
local loader, types = require 'torch.core.loader', require 'torch.core.types'
local cast = ffi.cast

ffi.cdef [[
typedef struct { void *fn, *data; } t7_nn_loop;
typedef struct {
   char *x, *y, *r, *weight, *bias, *grad_weight, *grad_bias, *save_mean, *save_std, *running_mean, *running_var;
   t7_nn_loop add, subtract, multiply; void *dot;
   double images, planes, area, eps, momentum, scale; int32_t type, train, back;
} t7_nn_batch;
]]

local pointer_ct = ffi.typeof 't7_nn_batch *'

local made, parts = {}, {}

function parts.run(data, from, to)
   local g = cast(pointer_ct, data)
   local index = g.type
   made[index] = made[index] or loader.load 'nn.normalization.batch_kernels'(types.rows[index])
   made[index].run(g, from, to)
end

return parts

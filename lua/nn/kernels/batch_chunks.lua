-- Batch normalisation as parts of shared work: planes of one call.

local ffi = require 'ffi'
local load, typed_chunks = require('torch.jit.loader').load, require 'nn.kernels.typed_chunks'

ffi.cdef [[
typedef struct { void *fn, *data; } t7_nn_loop;
typedef struct {
   char *x, *y, *r, *weight, *bias, *grad_weight, *grad_bias, *save_mean, *save_std, *running_mean, *running_var;
   t7_nn_loop add, subtract, multiply; void *dot, *axpy, *sums, *gradient;
   double images, planes, area, eps, momentum, scale; int32_t type, train, back;
} t7_nn_batch;
]]

return typed_chunks('t7_nn_batch', load 'nn.kernels.batch_kernels')

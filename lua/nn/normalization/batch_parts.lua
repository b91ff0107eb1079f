-- Batch normalisation as parts of shared work: planes of one call. Each state has kernels of its own.

local assert, debug, loadfile = assert, debug, loadfile
local ffi = require 'ffi'
local types = require 'torch.core.types'
local cast = ffi.cast

ffi.cdef [[
typedef struct { void *fn, *data; } t7_nn_loop;
typedef struct {
   char *x, *y, *r, *weight, *bias, *grad_weight, *grad_bias, *save_mean, *save_std, *running_mean, *running_var;
   t7_nn_loop add, subtract, multiply; void *dot;
   double images, planes, area, eps, momentum, scale; int32_t type, train, back;
} t7_nn_batch;
]]

local here = debug.getinfo(1, 'S').source:match('^@(.*)batch_parts%.lua$')
local pointer_ct = ffi.typeof 't7_nn_batch *'

local made, parts = {}, {}

function parts.run(data, from, to)
   local g = cast(pointer_ct, data)
   local index = g.type
   if not made[index] then made[index] = assert(loadfile(here .. 'batch_kernels.lua'))()(types.rows[index]) end
   made[index].run(g, from, to)
end

return parts

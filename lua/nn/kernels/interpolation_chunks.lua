-- Linear interpolation as parts of shared work: planes of one call.

local ffi = require 'ffi'
local load, typed_chunks = require('torch.jit.loader').load, require 'nn.kernels.typed_chunks'

-- Planes x of `area` elements have rows of `size`, planes y `lines` rows of `out`. A row of x, from element `row` of
-- its plane on, is in a line, from element `line` of all lines on, with a `weight`: there are `terms` of these. Along
-- a row, output j lies between elements `first` and `second`, of which the second has the weight `part`.
ffi.cdef [[
typedef struct {
   char *x, *y; void *axpy; double *line, *row, *weight, *part; int32_t *first, *second;
   double terms, area, size, lines, out; int32_t type, back;
} t7_nn_interpolation;
]]

return typed_chunks('t7_nn_interpolation', load 'nn.kernels.interpolation_kernels')

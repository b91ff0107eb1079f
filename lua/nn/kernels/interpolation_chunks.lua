-- Linear interpolation as parts of shared work: planes of one call.

local ffi = require 'ffi'
local load, typed_chunks = require('torch.jit.loader').load, require 'nn.kernels.typed_chunks'

-- Planes x of `area` elements have rows of `size`, planes y `lines` rows of `out`. Terms from number begin[l] to
-- begin[l + 1] - 1 say what `line` l is made of: rows of x, from element `row` of their plane on, each with a `weight`.
-- Along a row, output j lies between elements `first` and `second`, of which the second has the weight `part`.
ffi.cdef [[
typedef struct {
   char *x, *y; void *axpy; double *begin, *line, *row, *weight, *part; int32_t *first, *second;
   double area, size, lines, out; int32_t type, back;
} t7_nn_interpolation;
]]

return typed_chunks('t7_nn_interpolation', load 'nn.kernels.interpolation_kernels')

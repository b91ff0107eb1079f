-- Linear interpolation as chunks for parallel_for: planes of one call.

local ffi = require 'ffi'
local load, typed_chunks = require('torch.jit.loader').load, require 'nn.kernels.typed_chunks'

-- Planes x of `area` elements have rows of `size`; planes y have `lines` rows of `out`. Terms begin[l] to begin[l + 1]
-- - 1 define `line` l: rows of x, each from element `row` of its plane on, with a `weight`. Along a row, output j lies
-- between elements `first` and `second`; the weight of the second is `part`.
ffi.cdef [[
typedef struct {
   char *x, *y; void *axpy; double *begin, *line, *row, *weight, *part; int32_t *first, *second;
   double area, size, lines, out; int32_t type, back;
} t7_nn_interpolation;
]]

return typed_chunks('t7_nn_interpolation', load 'nn.kernels.interpolation_kernels')

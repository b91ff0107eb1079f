-- Convolutions by Winograd's algorithm as parts of shared work, see winograd_kernels.lua.

local ffi = require 'ffi'
local load, typed_chunks = require('torch.jit.loader').load, require 'nn.kernels.typed_chunks'

-- `from` has `planes` planes of h x w, `to` `outputs` planes of out_h x out_w, `weight` a kernel of 3 x `taps` for each
-- pair of them. Each image has `high` rows of tiles, and `rows` counts those of all images. A row of a tile is `pitch`
-- elements: the padding on its left, and the row. `spread` says that weights are those of the transposed convolution.
ffi.cdef [[
typedef struct {
   char *from, *to, *weight, *bias, *transformed, *matrix, *inputs, *maps;
   void *gemm, *add, *add_data, *subtract, *subtract_data, *multiply, *multiply_data;
   double planes, outputs, h, w, out_h, out_w, pad_h, pad_w, taps, images, high, pitch, rows, blocks;
   double first, last, scale;
   int32_t type, small, what, spread;
} t7_nn_winograd;
]]

return typed_chunks('t7_nn_winograd', function(T)
   return load 'nn.kernels.winograd_kernels'(T, load 'nn.kernels.gemm'(T))
end)

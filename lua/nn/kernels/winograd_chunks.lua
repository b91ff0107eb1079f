-- Convolutions by Winograd's algorithm as chunks for parallel_for, see winograd_kernels.lua.

local ffi = require 'ffi'
local load, typed_chunks = require('torch.jit.loader').load, require 'nn.kernels.typed_chunks'


-- `from` has `planes` planes of h x w, `to` has `outputs` of the `all` planes of an image, out_h x out_w each, and
-- `weight` has a kernel of `taps` elements for each pair of them. A tile has `tile` x `tile` outputs, an image `high`
-- rows of `wide` tiles, and `rows` counts those of all images. `spread` selects the weights of the transposed
-- convolution. `transformed`, `inputs` and `maps` are values that chunks share, in a block of the rows `first` to
-- `last` - 1 of inputs and `to_first` to `to_last` - 1 of outputs. Planes of inputs have `depth` slices, those of
-- outputs `out_depth`, kernels `deep`; images have one. `pad_t` counts slices of zeros before the first. If the
-- elements of a kernel are `gap` apart, the slices of an image are its phases: rows and columns that are equal modulo
-- the gap.
ffi.cdef [[
typedef struct {
   char *from, *to, *weight, *bias, *transformed, *matrix, *inputs, *maps;
   void *input, *gradients[5], *results[5], *split, *merge;
   void *gemm, *copy, *add, *add_data, *subtract, *subtract_data, *multiply, *multiply_data;
   double planes, outputs, all, taps, tile, h, w, out_h, out_w, pad_h, pad_w, high, wide, rows, blocks;
   double first, last, to_first, to_last, depth, out_depth, deep, pad_t, gap, scale;
   int32_t type, what, spread;
} t7_nn_winograd;
]]

return typed_chunks('t7_nn_winograd', function(T)
   local gemm = load 'nn.kernels.gemm'(T)
   return load 'nn.kernels.winograd_kernels'(T, gemm, load 'nn.kernels.winograd_slices'(T, gemm),
      load 'nn.kernels.winograd_tiles'(T))
end)

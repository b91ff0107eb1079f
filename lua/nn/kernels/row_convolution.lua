-- Convolutions of frames with a kernel for each feature, for features that lie side by side, by the kernels of
-- t7shell/native/nn/row_convolution.h. Tensors are contiguous and have the sizes of a t7_row_shape.

local ffi, kernel = require 'ffi', require 'nn.kernels.kernel'
local lib = require 'torch.native.kernels' 'nn/row_convolution'

local row_convolution = { shape_t = ffi.typeof 't7_row_shape' }

local forward, back, weight_gradient = kernel.functions(lib, 't7_rows_forward'), kernel.functions(lib, 't7_rows_back'),
   kernel.functions(lib, 't7_rows_weights')

function row_convolution.forward(k, shape, x, weight, bias, y)
   forward[k](shape, k.ptr(x), k.ptr(weight), bias and k.ptr(bias), k.ptr(y))
   k.keep_alive(x, weight, bias, y)
end

-- The gradient of x from that of the output.
function row_convolution.back(k, shape, gradient, weight, x)
   back[k](shape, k.ptr(gradient), k.ptr(weight), k.ptr(x))
   k.keep_alive(gradient, weight, x)
end

-- sums += scale * the gradient of the weights.
function row_convolution.add_weight_gradient(k, shape, x, gradient, sums, scale)
   weight_gradient[k](shape, k.ptr(x), k.ptr(gradient), scale, k.ptr(sums))
   k.keep_alive(x, gradient, sums)
end

return row_convolution

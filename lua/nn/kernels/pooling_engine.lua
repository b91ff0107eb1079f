-- Pooling by the kernels of t7shell/native/nn/pooling.h. Windows of one size have a shape, a t7_pooling; others lists
-- of their ends, t7_windows. Tensors are contiguous and have the sizes given there. See docs/decisions/0017-pooling.md.

local ceil, floor = math.ceil, math.floor
local ffi, kernel = require 'ffi', require 'nn.kernels.kernel'
local lib = require 'torch.native.kernels' 'nn/pooling'

-- What sums of windows are divided by: nothing, their elements inside of the plane, or those of padding too.
local pooling_engine = { SUMS = 0, INSIDE = 1, ALL = 2, windows_t = ffi.typeof 't7_windows' }

local shape_t = ffi.typeof 't7_pooling'

-- A shape of one plane with windows of one element that do not move, without padding.
function pooling_engine.shape()
   local s = shape_t()
   s.planes = 1
   for d = 0, 2 do s.size[d], s.kernel[d], s.stride[d], s.dilation[d], s.out[d] = 1, 1, 1, 1, 1 end
   return s
end

-- The output size of a dimension. If any dimension is `padded`, the last window starts inside of the plane.
function pooling_engine.output(size, k, d, p, l, up, padded)
   local count = (size - (l * (k - 1) + 1) + 2 * p) / d
   local out = (up and ceil(count) or floor(count)) + 1
   if padded and (out - 1) * d >= size + p then out = out - 1 end
   return out
end

-- f(k, shape, ...): a kernel of a type with pointers to tensors.
local function of_type(name)
   local functions = kernel.functions(lib, name)
   return function(k, shape, x, y)
      functions[k](shape, k.ptr(x), k.ptr(y))
      k.keep_alive(x, y)
   end
end

-- y = the averages, or sums, of x; and x = the gradient from that of y.
pooling_engine.average = of_type 't7_average_pool'
pooling_engine.average_back = of_type 't7_average_pool_back'
pooling_engine.average_windows = of_type 't7_average_windows'
pooling_engine.average_windows_back = of_type 't7_average_windows_back'

local scale_planes = kernel.functions(lib, 't7_scale_planes')

-- y = planes of x, one of each feature after the other, times the features' weights and plus a bias, if there is one.
function pooling_engine.scale(k, planes, features, area, x, weight, bias, y)
   scale_planes[k](planes, features, area, k.ptr(x), k.ptr(weight), bias and k.ptr(bias), k.ptr(y))
   k.keep_alive(x, weight, bias, y)
   return y
end

-- f(k, shape, x, y, index), y = the maxima of x and their indices.
local function maxima(name)
   local functions = kernel.functions(lib, name)
   return function(k, shape, x, y, index)
      functions[k](shape, k.ptr(x), k.ptr(y), kernel.long_pointer(index))
      k.keep_alive(x, y, index)
   end
end

pooling_engine.max = maxima 't7_max_pool'
pooling_engine.max_windows = maxima 't7_max_windows'

-- Indices of maxima as rows and columns of their windows, which are on this machine, and back.
local function index_conversion(convert)
   return function(windows, a, b, c)
      convert(windows, kernel.long_pointer(a), kernel.long_pointer(b), kernel.long_pointer(c))
      kernel.keep_alive(a, b, c)
   end
end

-- f(windows, index, rows, columns) sets rows and columns; f(windows, rows, columns, index) sets the index.
pooling_engine.window_indices = index_conversion(lib.t7_window_indices)
pooling_engine.plane_indices = index_conversion(lib.t7_plane_indices)

local max_back = kernel.functions(lib, 't7_max_pool_back')

-- x = the gradient of maxima from that of y; returns whether all indices were valid.
function pooling_engine.max_back(k, shape, y, index, x)
   local valid = max_back[k](shape, k.ptr(y), kernel.long_pointer(index), k.ptr(x))
   k.keep_alive(x, y, index)
   return valid == 1
end

local function unpooling(name)
   local functions = kernel.functions(lib, name)
   return function(k, planes, from, to, x, index, y)
      local valid = functions[k](planes, from, to, k.ptr(x), kernel.long_pointer(index), k.ptr(y))
      k.keep_alive(x, y, index)
      return valid == 1
   end
end

-- Elements of x, in planes of `from`, go to their indices in y, in planes of `to`; unpool_back(..., y, index, x) is its
-- gradient. Both return whether all indices were valid.
pooling_engine.unpool, pooling_engine.unpool_back = unpooling 't7_unpool', unpooling 't7_unpool_back'

return pooling_engine

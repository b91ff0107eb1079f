-- Convolutions and cross-correlations in two and three dimensions.
--
-- For each weight of the kernel, the valid region of an output accumulates the weight times the image shifted by the
-- weight's position; an image is one contiguous run. A run that passes the end of a row computes elements that belong
-- to no output; they are dropped when rows are copied to the result. Full outputs are valid ones of a padded image.

local require, unpack = require, unpack
local ffi = require 'ffi'
local correlate = require 'torch.kernels.convolution.correlate'
local errors, geometry = require 'torch.base.errors', require 'torch.base.geometry'
local buffers, native = require 'torch.memory.buffers', require 'torch.native.native'
local parallel_for = require 'torch.parallel.parallel_for'
local tuning = require 'torch.base.tuning'
local byte_p, cast, shape = ffi.typeof 'char *', ffi.cast, geometry.shape

local convolution = {}

local WORK = tuning.MULTIPLY_WORK
local share_lines = parallel_for.kind('torch.kernels.convolution.correlate', 'lines')

-- The image of `planes` planes of the given sizes with `margin` zeros around each, as a contiguous tensor.
local function padded(T, x, margin)
   local sizes, dim, offset = {}, x._dim, x._dim - #margin
   for d = 1, dim do
      sizes[d] = x._size[d - 1] + (d > offset and 2 * margin[d - offset] or 0)
   end
   local p = T.fill(T.resize_to(T.new_tensor(), sizes), 0)
   local inner = p
   for d = offset + 1, dim do
      inner = T.narrow_view(inner, d - 1, margin[d - offset], x._size[d - 1])
   end
   T.copy_from(inner, T, x)
   return T.contiguous(p)
end

local function last_sizes(t, n)
   local sizes = {}
   for i = 1, n do sizes[i] = t._size[t._dim - n + i - 1] end
   return sizes
end

local function product(sizes)
   local n = 1
   for i = 1, #sizes do n = n * sizes[i] end
   return n
end

-- The form of a call by numbers of dimensions: one image and one kernel; equally many of both; or all images into each
-- output, with a kernel per pair. Returns outputs, inputs per output, and whether kernels are per pair.
local function planes(name, x, k, n)
   if x._dim == n and k._dim == n then return nil, 1 end
   if x._dim == n + 1 and k._dim == n + 1 then
      if x._size[0] ~= k._size[0] then
         errors.raise('%s: images and kernels differ in number (got [%s] and [%s])', name, shape(x), shape(k))
      end
      return k._size[0], 1
   end
   if x._dim == n + 1 and k._dim == n + 2 then
      if x._size[0] ~= k._size[1] then
         errors.raise('%s: kernels must be for %.0f images (got images [%s], kernels [%s])', name, x._size[0],
            shape(x), shape(k))
      end
      return k._size[0], k._size[1]
   end
   errors.raise('%s: tensors must have %d and %d, %d and %d, or %d and %d dimensions (got [%s] and [%s])', name, n, n,
      n + 1, n + 1, n + 1, n + 2, shape(x), shape(k))
end

local function check_sizes(name, x, k, n)
   local image, kernel = last_sizes(x, n), last_sizes(k, n)
   for i = 1, n do
      if image[i] < kernel[i] then
         errors.raise('%s: the kernel must not be larger than the image (got image [%s] and kernel [%s])', name,
            shape(x), shape(k))
      end
   end
end

-- The offsets of the weights' runs in an image.
local function offsets(image, kernel)
   local list, n = ffi.new('double[?]', product(kernel)), #kernel
   local depth, rows, columns = n == 3 and kernel[1] or 1, kernel[n - 1], kernel[n]
   local at = 0
   for z = 0, depth - 1 do
      for y = 0, rows - 1 do
         for x = 0, columns - 1 do
            list[at] = (z * image[n - 1] + y) * image[n] + x
            at = at + 1
         end
      end
   end
   return list
end

-- f(r, x, k, region) for n dimensions; `mirrored` for convolutions, whose kernels are reversed.
function convolution.make(name, T, how)
   local n, mirrored = how.dimensions, how.mirrored
   local axpy = native.routine('blas', T, 'axpy')
   local g = correlate.new(T, axpy)
   return function(r, x, k, region)
      local letter = region ~= nil and region:sub(1, 1) or 'V'
      if letter ~= 'V' and letter ~= 'F' then errors.argument(name, 3, "must be 'V' or 'F' (got '%s')", region) end
      local outputs, inputs = planes(name, x, k, n)
      local kernel = last_sizes(k, n)
      if letter == 'F' then
         local margin = {}
         for i = 1, n do margin[i] = kernel[i] - 1 end
         x = padded(T, x, margin)
      else
         check_sizes(name, x, k, n)
         x = T.contiguous(x)
      end
      k = T.contiguous(k)
      local image, output = last_sizes(x, n), {}
      for i = 1, n do output[i] = image[i] - kernel[i] + 1 end
      local result = outputs and { outputs, unpack(output) } or output
      local made = T.new_contiguous(result)
      local taps, area, offset = product(kernel), product(image), offsets(image, kernel)
      g.offset, g.taps, g.inputs, g.area = offset, taps, inputs, area
      g.first, g.step = mirrored and taps - 1 or 0, mirrored and -1 or 1
      g.rows, g.columns, g.inner_rows, g.inner_columns = image[n - 1], image[n], output[n - 1], output[n]
      -- Ends at the last row in which an output starts.
      local lines = output[n - 1] + (n == 3 and (output[1] - 1) * image[2] or 0)
      local work = WORK * lines * g.columns * taps * inputs
      local to, size = made._memory._data, product(output)
      local from, weights = x._memory._data + x._offset, k._memory._data + k._offset
      for o = 0, (outputs or 1) - 1 do
         -- An image for each output, or all images for all outputs.
         local plane = k._dim == n + 1 and o or 0
         g.to, g.images = cast(byte_p, to + o * size), cast(byte_p, from + plane * area)
         g.kernels = cast(byte_p, weights + o * inputs * taps)
         share_lines(lines, correlate.lines_of_piece(g.columns), work, g)
      end
      buffers.alive(x, k, made, offset)
      if not r then return made end
      T.resize_as(r, made)
      T.copy_from(r, T, made)
      return r
   end
end

return convolution

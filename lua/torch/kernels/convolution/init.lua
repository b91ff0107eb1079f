-- Convolutions and cross-correlations in two and three dimensions.
--
-- Full outputs are valid ones of a padded image, except of kernels with infinities or nan: these times a zero of the
-- padding would be nan in elements whose window does not hold them.

local floor, require, unpack = math.floor, require, unpack
local ffi = require 'ffi'
local errors, geometry = require 'torch.base.errors', require 'torch.base.geometry'
local buffers, kernels = require 'torch.memory.buffers', require 'torch.native.kernels'
local element, elementwise = require 'torch.loops.element', require 'torch.kernels.elementwise'
local byte_p, cast, shape = ffi.typeof 'char *', ffi.cast, geometry.shape

local convolution = {}

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

-- The kind of a call by numbers of dimensions: one image and one kernel; equally many of both; or all images into each
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

-- Whether all elements of a contiguous tensor of floating-point numbers are finite.
local function is_finite(T, get, k)
   if T.integer then return true end
   local sum = 0
   for i = k._offset, k._offset + geometry.numel(k) - 1 do
      local weight = get(k._memory._data, i)
      sum = sum + (weight - weight)
   end
   return sum == 0
end

-- Adds the full output of one image to `to`, by add(r, r, weight, x): each tap of the kernel, whose first element is
-- number `first` of k, times the image, at the tap's offset.
local function add_taps(T, get, add, to, image, k, first, kernel, mirrored)
   local taps = product(kernel)
   for tap = 0, taps - 1 do
      local part, position = to, mirrored and tap or taps - 1 - tap
      for d = #kernel, 1, -1 do
         local offset = position % kernel[d]
         part = T.narrow_view(part, d - 1, offset, image._size[d - 1])
         position = (position - offset) / kernel[d]
      end
      add(part, part, get(k._memory._data, first + tap), image)
   end
end

-- The full output without padding, for kernels that are not finite.
local function full_by_taps(T, get, add, x, k, n, mirrored, outputs)
   local kernel, sizes = last_sizes(k, n), last_sizes(x, n)
   for d = 1, n do sizes[d] = sizes[d] + kernel[d] - 1 end
   local made = T.fill(T.new_contiguous(outputs and { outputs, unpack(sizes) } or sizes), 0)
   local taps = product(kernel)
   for pair = 0, geometry.numel(k) / taps - 1 do
      local output, input = pair, pair
      if k._dim == n + 2 then output, input = floor(pair / k._size[1]), pair % k._size[1] end
      local to = k._dim == n and made or T.select_view(made, 0, output)
      local image = k._dim == n and x or T.select_view(x, 0, input)
      add_taps(T, get, add, to, image, k, k._offset + pair * taps, kernel, mirrored)
   end
   return made
end

-- f(r, x, k, region) for n dimensions; `mirrored` for convolutions, whose kernels are reversed.
function convolution.make(name, T, options)
   local n, mirrored = options.dimensions, options.mirrored
   local lib, get, add = kernels 'convolution/correlate', element.getter(T), nil
   local c = ffi.new 't7_correlation'
   c.mirrored = mirrored and 1 or 0

   -- The valid output of contiguous tensors.
   local function valid(x, k, outputs, inputs)
      local image, kernel, output = last_sizes(x, n), last_sizes(k, n), {}
      for i = 1, n do output[i] = image[i] - kernel[i] + 1 end
      local made = T.new_contiguous(outputs and { outputs, unpack(output) } or output)
      c.outputs, c.inputs, c.next = outputs or 1, inputs, k._dim == n + 1 and product(image) or 0
      for d = 0, 2 do
         local i = d - 2 + n
         c.image[d], c.kernel[d] = i > 0 and image[i] or 1, i > 0 and kernel[i] or 1
      end
      c.to, c.images = cast(byte_p, made._memory._data), cast(byte_p, x._memory._data + x._offset)
      c.kernels = cast(byte_p, k._memory._data + k._offset)
      lib.t7_correlate(T.index, c)
      buffers.keep_alive(x, k, made)
      return made
   end

   return function(r, x, k, region)
      local letter = region ~= nil and string.sub(region, 1, 1) or 'V'
      if letter ~= 'V' and letter ~= 'F' then errors.argument(name, 3, "must be 'V' or 'F' (got '%s')", region) end
      local outputs, inputs = planes(name, x, k, n)
      k = T.contiguous(k)
      local made
      if letter == 'V' then
         check_sizes(name, x, k, n)
         made = valid(T.contiguous(x), k, outputs, inputs)
      elseif is_finite(T, get, k) then
         local margin = last_sizes(k, n)
         for i = 1, n do margin[i] = margin[i] - 1 end
         made = valid(padded(T, x, margin), k, outputs, inputs)
      else
         add = add or elementwise.map(name, T, { 'z = x + y * v' }, '[r] t v t')
         made = full_by_taps(T, get, add, x, k, n, mirrored, outputs)
      end
      return T.result(r, made)
   end
end

return convolution

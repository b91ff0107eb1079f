-- Convolutions and cross-correlations of two and three dimensions.
--
-- An image lies in memory as one run of elements, and an output of the valid region is, for each weight of the
-- kernel, that weight times the run moved by the weight's position. Where a run passes the end of a row it makes
-- elements that belong to no output; they are left out at the end. Full outputs are valid ones of a padded image.

local loadstring, require, tonumber, unpack = loadstring, require, tonumber, unpack
local ffi = require 'ffi'
local errors, geometry = require 'torch.errors', require 'torch.geometry'
local memory, native = require 'torch.memory', require 'torch.native'
local shape = geometry.shape

local conv = {}

-- Runs are worked on in pieces that stay in the first cache.
local PIECE = 2048

-- axpy(count, weight, x, z) adds weight times x to z: BLAS, and loops for integers, which wrap as C's do.
local axpy_source = [[
local int64, weight = ...
return function(count, x, z)
   local factor = int64(weight[0])
   for i = 0, count - 1 do z[i] = int64(z[i]) + factor * int64(x[i]) end
end]]

local function make_axpy(T, weight)
   if T.integer then return loadstring(axpy_source, '=t7 axpy')(ffi.typeof 'int64_t', weight) end
   local axpy = native.routine('blas', T.name == 'Double' and 'daxpy' or 'saxpy',
      ('void (*)(int *, $ *, $ *, int *, $ *, int *)'):gsub('%$', T.c))
   if not axpy then return loadstring(axpy_source, '=t7 axpy')(tonumber, weight) end
   local n, one = ffi.new 'int[1]', ffi.new('int[1]', 1)
   return function(count, x, z)
      n[0] = count
      axpy(n, weight, x, one, z, one)
   end
end

-- accumulate(z, length, x, k, taps, first, step): adds all weights of a kernel to the run z; offset[i] is where the
-- run of weight i starts in x, and weights are read from `first` in steps.
local function make_accumulate(T)
   local weight = ffi.new(T.c .. '[1]')
   local axpy = make_axpy(T, weight)
   return function(z, length, x, k, taps, offset, first, step)
      for start = 0, length - 1, PIECE do
         local count = length - start
         if count > PIECE then count = PIECE end
         for i = 0, taps - 1 do
            weight[0] = k[first + step * i]
            axpy(count, x + (start + offset[i]), z + start)
         end
      end
   end
end

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

-- Sizes of the last n dimensions.
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

-- The form of a call, from the numbers of dimensions: one image and one kernel; as many of both; or all images into
-- each output, with a kernel for each pair. Returns outputs, inputs for each, and whether kernels go in pairs.
local function planes(name, x, k, n)
   if x._dim == n and k._dim == n then return nil, 1 end
   if x._dim == n + 1 and k._dim == n + 1 then
      if x._size[0] ~= k._size[0] then
         errors.raise('%s: as many kernels as images expected: images [%s], kernels [%s]', name, shape(x), shape(k))
      end
      return k._size[0], 1
   end
   if x._dim == n + 1 and k._dim == n + 2 then
      if x._size[0] ~= k._size[1] then
         errors.raise('%s: kernels for %.0f images expected: images [%s], kernels [%s]', name, x._size[0], shape(x),
            shape(k))
      end
      return k._size[0], k._size[1]
   end
   errors.raise('%s: tensors of %d and %d, %d and %d, or %d and %d dimensions expected, got [%s] and [%s]', name, n, n,
      n + 1, n + 1, n + 1, n + 2, shape(x), shape(k))
end

local function check_sizes(name, x, k, n)
   local image, kernel = last_sizes(x, n), last_sizes(k, n)
   for i = 1, n do
      if image[i] < kernel[i] then
         errors.argument(name, 2, 'kernel that is not larger than the image expected: image [%s], kernel [%s]',
            shape(x), shape(k))
      end
   end
end

-- Where the runs of the weights start in an image.
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

-- A view of the outputs in the run z of one image.
local function outputs_of(T, z, image, output)
   local v, n = T.alias(z), #output
   geometry.set_dim(v, n)
   local stride = 1
   for i = n, 1, -1 do
      v._size[i - 1], v._stride[i - 1] = output[i], stride
      stride = stride * image[i]
   end
   return v
end

-- f(r, x, k, region) for n dimensions; `mirrored` for convolutions, whose kernels are turned round.
function conv.make(name, T, how)
   local n, mirrored = how.dimensions, how.mirrored
   local accumulate = make_accumulate(T)
   return function(r, x, k, region)
      if region ~= nil and region ~= 'V' and region ~= 'F' then
         errors.argument(name, 3, "'V' or 'F' expected, got '%s'", region)
      end
      local outputs, inputs = planes(name, x, k, n)
      local kernel = last_sizes(k, n)
      if region == 'F' then
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
      local made = T.resize_to(T.new_tensor(), result)
      local offset, taps, area = offsets(image, kernel), product(kernel), product(image)
      -- The run ends with the last output.
      local length = area - offset[taps - 1]
      local run = T.new_vector(length)
      local view = outputs_of(T, run, image, output)
      local first, step = mirrored and taps - 1 or 0, mirrored and -1 or 1
      for o = 0, (outputs or 1) - 1 do
         T.fill(run, 0)
         for i = 0, inputs - 1 do
            local plane = k._dim == n + 1 and o or i
            local from = x._memory._data + x._offset + plane * area
            local weights = k._memory._data + k._offset + (o * inputs + i) * taps
            accumulate(run._memory._data, length, from, weights, taps, offset, first, step)
         end
         T.copy_from(outputs and T.select_view(made, 0, o) or made, T, view)
      end
      memory.alive(x, k, run)
      if not r then return made end
      T.resize_as(r, made)
      T.copy_from(r, T, made)
      return r
   end
end

return conv

-- Kernels: image.gaussian, gaussian1D and laplacian.

local arguments = require 'image.arguments'
local errors, torch, warn = require 'torch.base.errors', require 'torch', require 'torch.base.warn'
local raise = errors.raise

local order = { 'size', 'sigma', 'amplitude', 'normalize', 'width', 'height', 'sigma_horz', 'sigma_vert', 'mean_horz',
   'mean_vert', 'tensor' }
local order_1d = { 'size', 'sigma', 'amplitude', 'normalize', 'mean', 'tensor' }

-- A number of elements; its fraction affects only positions.
local function side(name, what, value, default, minimum)
   local n = arguments.integer(name, what, value, default)
   if n < minimum then raise('%s: %s must be at least %d (got %.0f)', name, what, minimum, n) end
   return value or default
end

-- Fills a tensor of two dimensions, or none, with f(q), where q is half the square of the distance from the middle in
-- sigmas.
local function fill(kernel, f, x0, y0, sigma_x, sigma_y, amplitude, normalize)
   if kernel:dim() == 0 then return kernel end
   local height, width = kernel:size(1), kernel:size(2)
   local values = torch.DoubleTensor(height, width)
   for i = 1, height do
      local dy = (i - y0) / sigma_y
      local row = values[i]
      for j = 1, width do
         local dx = (j - x0) / sigma_x
         row[j] = amplitude * f((dx * dx + dy * dy) / 2)
      end
   end
   if normalize then values:div(values:sum()) end
   -- Bytes are rounded and clipped.
   if kernel:type() == 'torch.ByteTensor' then values:add(0.5):clamp(0, 255) end
   return kernel:copy(values)
end

local function read(name, sigma, minimum, ...)
   local given = arguments.named(name, order, ...)
   local size = side(name, 'size', given.size, 3, minimum)
   sigma = arguments.number(name, 'sigma', given.sigma, sigma)
   local height = side(name, 'height', given.height, size, minimum)
   return {
      -- Only a kernel without rows has no columns.
      height = height, width = side(name, 'width', given.width, size, height < 1 and minimum or 1),
      sigma_x = arguments.number(name, 'sigma_horz', given.sigma_horz, sigma),
      sigma_y = arguments.number(name, 'sigma_vert', given.sigma_vert, sigma),
      mean_x = arguments.number(name, 'mean_horz', given.mean_horz, 0.5),
      mean_y = arguments.number(name, 'mean_vert', given.mean_vert, 0.5),
      amplitude = arguments.number(name, 'amplitude', given.amplitude, 1),
      normalize = given.normalize, tensor = given.tensor,
   }
end

local function gaussian_curve(q) return math.exp(-q) end
local function mexican_hat(q) return (1 - q) * math.exp(-q) end

return function(image)
   -- A Gaussian; sigmas and means are fractions of the sizes.
   function image.gaussian(...)
      local p = read('gaussian', 0.25, 1, ...)
      local kernel = p.tensor ~= nil and arguments.image('gaussian', p.tensor, 2, 2) or torch.Tensor(p.height, p.width)
      local height, width = kernel:size(1), kernel:size(2)
      return fill(kernel, gaussian_curve, p.mean_x * width + 0.5, p.mean_y * height + 0.5, p.sigma_x * width,
         p.sigma_y * height, p.amplitude, p.normalize)
   end

   -- A Laplacian of a Gaussian: (1 - q) exp(-q). As in Torch7, the horizontal parameters are those of its columns.
   function image.laplacian(...)
      local p = read('laplacian', 0.1, 0, ...)
      if p.tensor ~= nil then warn.once('laplacian: tensor has no effect') end
      local height, width = p.height, p.width
      local kernel = torch.Tensor(height, width)
      return fill(kernel, mexican_hat, p.mean_y * height + 0.5, p.mean_x * width + 0.5, p.sigma_y * height,
         p.sigma_x * width, p.amplitude, p.normalize)
   end

   -- A one-dimensional Gaussian.
   function image.gaussian1D(...)
      local given = arguments.named('gaussian1D', order_1d, ...)
      local size, kernel = side('gaussian1D', 'size', given.size, 3, 0), given.tensor
      if kernel ~= nil then
         arguments.tensor('gaussian1D', kernel, 1, 2)
         size = kernel:nElement()
      else
         kernel = torch.Tensor(size)
      end
      local mean = arguments.number('gaussian1D', 'mean', given.mean, 0.5)
      local sigma = arguments.number('gaussian1D', 'sigma', given.sigma, 0.25)
      local amplitude = arguments.number('gaussian1D', 'amplitude', given.amplitude, 1)
      return kernel:copy(fill(torch.DoubleTensor(kernel:nElement() > 0 and 1 or 0, kernel:nElement()), gaussian_curve,
         mean * size + 0.5, 1, sigma * size, 1, amplitude, given.normalize))
   end
end

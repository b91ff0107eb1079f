-- Kernels: image.gaussian, gaussian1D and laplacian.

local arguments = require 'image.arguments'
local errors, torch = require 'torch.base.errors', require 'torch'
local raise = errors.raise

local order = { 'size', 'sigma', 'amplitude', 'normalize', 'width', 'height', 'sigma_horz', 'sigma_vert', 'mean_horz',
   'mean_vert', 'tensor' }
local order_1d = { 'size', 'sigma', 'amplitude', 'normalize', 'mean', 'tensor' }

local function side(name, what, value, default)
   local n = arguments.integer(name, what, value, default)
   if n < 1 then raise('%s: %s must be at least 1 (got %.0f)', name, what, n) end
   return n
end

-- The tensor to fill: that of the arguments, or a new one of the sizes.
local function tensor_for(name, tensor, ...)
   if tensor == nil then return torch.Tensor(...) end
   arguments.image(name, tensor, 1, 2)
   return tensor
end

-- Fills a tensor of two dimensions with f(q), where q is half the square of the distance from the middle in sigmas.
local function fill(kernel, f, x0, y0, sigma_x, sigma_y, amplitude, normalize)
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

local function read(name, sigma, ...)
   local given = arguments.named(name, order, ...)
   local size = side(name, 'size', given.size, 3)
   sigma = arguments.number(name, 'sigma', given.sigma, sigma)
   return {
      width = side(name, 'width', given.width, size), height = side(name, 'height', given.height, size),
      sigma_x = arguments.number(name, 'sigma_horz', given.sigma_horz, sigma),
      sigma_y = arguments.number(name, 'sigma_vert', given.sigma_vert, sigma),
      mean_x = arguments.number(name, 'mean_horz', given.mean_horz, 0.5),
      mean_y = arguments.number(name, 'mean_vert', given.mean_vert, 0.5),
      amplitude = arguments.number(name, 'amplitude', given.amplitude, 1),
      normalize = given.normalize, tensor = given.tensor,
   }
end

local function bell_curve(q) return math.exp(-q) end
local function mexican_hat(q) return (1 - q) * math.exp(-q) end

return function(image)
   local function in_two_dimensions(name, sigma, shape, turned)
      image[name] = function(...)
         local p = read(name, sigma, ...)
         local kernel = tensor_for(name, p.tensor, p.height, p.width)
         local x, y = kernel:size(2), kernel:size(1)
         if turned then x, y = y, x end
         return fill(kernel, shape, p.mean_x * x + 0.5, p.mean_y * y + 0.5, p.sigma_x * x, p.sigma_y * y, p.amplitude,
            p.normalize)
      end
   end

   -- A bell; sigmas and means are fractions of the sizes.
   in_two_dimensions('gaussian', 0.25, bell_curve)

   -- A hat: (1 - q) exp(-q). Widths measure its rows and heights its columns, as they did in Torch7.
   in_two_dimensions('laplacian', 0.1, mexican_hat, true)

   -- A bell in one dimension.
   function image.gaussian1D(...)
      local given = arguments.named('gaussian1D', order_1d, ...)
      local size = side('gaussian1D', 'size', given.size, 3)
      local kernel = tensor_for('gaussian1D', given.tensor, size)
      size = kernel:nElement()
      local mean = arguments.number('gaussian1D', 'mean', given.mean, 0.5)
      local sigma = arguments.number('gaussian1D', 'sigma', given.sigma, 0.25)
      local amplitude = arguments.number('gaussian1D', 'amplitude', given.amplitude, 1)
      local values = fill(torch.DoubleTensor(1, size), bell_curve, mean * size + 0.5, 1, sigma * size, 1, amplitude,
         given.normalize)
      return kernel:copy(values)
   end
end

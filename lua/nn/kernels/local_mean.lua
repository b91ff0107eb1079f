-- Weighted means over a neighbourhood of each pixel and all planes, for the normalization of images: the planes are
-- summed, and the sum is convolved with a kernel, or with a vector across and down. Pixels beyond the edges are 0.

local floor, setmetatable = math.floor, setmetatable
local torch = require 'torch'
local expect, kernel = require 'nn.checks.expect', require 'nn.kernels.kernel'
local convolution_engine = require 'nn.kernels.convolution_engine'

local local_mean = {}

local shape = convolution_engine.shape()
-- The mean weights of a module.
local means = setmetatable({}, { __mode = 'k' })

-- The network by which Torch7's methods compute the mean, or the root mean square: for files, and for the random
-- numbers that its construction draws, so that modules created later get the same weights from the same seed.
function local_mean.estimator(nn, module, of_squares)
   local weights, planes = module.kernel, module.nInputPlane
   local n, across = weights:size(1), weights:size(weights:dim())
   local up, left = floor(n / 2), floor(across / 2)
   local estimator = nn.Sequential()
   if of_squares then estimator:add(nn.Square()) end
   estimator:add(nn.SpatialZeroPadding(left, left, up, up))
   local down
   if weights:dim() == 2 then
      down = nn.SpatialConvolution(planes, 1, across, n)
   else
      local map = nn.SpatialConvolutionMap(nn.tables.oneToOne(planes), n, 1)
      for plane = 1, planes do map.weight[plane]:copy(weights) end
      map.bias:zero()
      estimator:add(map)
      down = nn.SpatialConvolution(planes, 1, 1, n)
   end
   for plane = 1, planes do down.weight[1][plane]:copy(weights) end
   down.bias:zero()
   estimator:add(down):add(nn.Replicate(planes, 1, 3))
   return of_squares and estimator:add(nn.Sqrt()) or estimator
end

-- Checks the kernel of a module, and scales the weights of all planes to the sum 1. A vector stands for its outer
-- product with itself.
function local_mean.prepare(module, weights, planes)
   if weights:dim() ~= 1 and weights:dim() ~= 2 then
      expect.fail(module, 'kernel must have one or two dimensions (got %s)', expect.describe(weights))
   end
   for d = 1, weights:dim() do
      if weights:size(d) % 2 == 0 then
         expect.fail(module, 'kernel must have odd sizes (got %s)', expect.describe(weights))
      end
   end
   return weights:div(weights:sum() * (weights:dim() == 1 and planes ^ 0.5 or planes))
end

-- One convolution of planes b x 1 x h x w with a kernel kh x kw, or its transpose.
local function convolve(k, x, weights, kh, kw, back)
   local images, h, w = x:size(1), x:size(3), x:size(4)
   local y = x.new(images, 1, h, w)
   shape.images, shape.image[1], shape.image[2], shape.map[1], shape.map[2] = images, h, w, h, w
   shape.kernel[1], shape.kernel[2], shape.pad[1], shape.pad[2] = kh, kw, floor(kh / 2), floor(kw / 2)
   if back then
      convolution_engine.correlate_transposed(k, shape, x, weights, nil, y)
   else
      convolution_engine.correlate(k, shape, x, weights, nil, y)
   end
   return y
end

-- The means of summed planes by a module's kernel; with `back`, the gradient of that.
function local_mean.apply(k, module, sums, back)
   local w = module.kernel:type(k.TYPE):contiguous()
   if w:dim() == 2 then return convolve(k, sums, w, w:size(1), w:size(2), back) end
   -- Across, a vector per plane; then the sums down.
   local n = w:nElement()
   return convolve(k, convolve(k, sums, w, 1, n, back), w, n, 1, back)
end

-- Returns a batch b x planes x h x w, and the sums of its planes.
function local_mean.batch(module, x)
   if x:dim() ~= 3 and x:dim() ~= 4 or x:size(x:dim() - 2) ~= module.nInputPlane then
      expect.fail(module, 'input must have %d planes, or a batch (got %s)', module.nInputPlane, expect.describe(x))
   end
   return x:dim() == 4 and x or x:view(1, x:size(1), x:size(2), x:size(3))
end

-- The weight sums at each pixel of x, expanded like `like`: the means of ones, which are less than 1 at the edges.
function local_mean.coefficients(k, module, x, like)
   local h, w = x:size(3), x:size(4)
   local coef = means[module]
   if not k.is(coef) or coef:size(3) ~= h or coef:size(4) ~= w then
      local ones = torch.Tensor(1, 1, h, w):type(k.TYPE):fill(module.nInputPlane)
      coef = local_mean.apply(k, module, ones)
      means[module] = coef
   end
   return coef:expandAs(like)
end

-- Drops the cached means of a module, which are then recomputed from its kernel.
function local_mean.clear_cache(module) means[module] = nil end

-- Adds the methods of a normalization to a class: forward(k, module, x, y) writes the output of x, and
-- back(k, module, x, g, r) the gradient of the input, of batches b x planes x h x w. `buffers` are further fields that
-- clearState empties.
function local_mean.methods(Norm, parent, nn, forward, back, buffers)
   function Norm:updateOutput(input)
      local k = kernel.of(self, input)
      local x = local_mean.batch(self, k.as_contiguous(input))
      local y = self.output:resizeAs(x)
      forward(k, self, x, y)
      return y:resize(input:size())
   end

   function Norm:updateGradInput(input, gradOutput)
      if not self.gradInput then return end
      local k = kernel.of(self, input)
      local x = local_mean.batch(self, k.as_contiguous(input))
      expect.grad_output(self, k, gradOutput, input)
      local r = self.gradInput:resizeAs(x)
      back(k, self, x, k.as_contiguous(gradOutput):viewAs(x), r)
      return r:resize(input:size())
   end

   function Norm:clearState()
      local_mean.clear_cache(self)
      nn.utils.clear(self, buffers)
      return parent.clearState(self)
   end
end

return local_mean

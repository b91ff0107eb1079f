-- nn.SpatialConvolutionLocal: a convolution with separate weights for each pixel of the output, for inputs of one size.

local torch = require 'torch'
local expect, kernel = require 'nn.checks.expect', require 'nn.kernels.kernel'
local geometry = require 'nn.checks.geometry'
local convolution_engine = require 'nn.kernels.convolution_engine'
local convolution_layer = require 'nn.convolution.convolution_layer'
local initialization = require 'nn.module.initialization'

return function(Conv, _, nn)

   function Conv:__init()
      local iW, iH, kW, kH = self.iW, self.iH, self.kW, self.kH
      self.oW = math.floor((iW + 2 * self.padW - kW) / self.dW) + 1
      self.oH = math.floor((iH + 2 * self.padH - kH) / self.dH) + 1
      if self.oW < 1 or self.oH < 1 then
         expect.fail(self, 'kernel must not be larger than the padded input (got %dx%d for %dx%d)', kW, kH, iW, iH)
      end
      self.weight = torch.Tensor(self.oH, self.oW, self.nOutputPlane, self.nInputPlane, kH, kW)
      self.bias = torch.Tensor(self.nOutputPlane, self.oH, self.oW)
      self.gradWeight, self.gradBias = torch.zeros(self.weight:size()), torch.zeros(self.bias:size())
      self:reset()
   end

   function Conv:reset(stdv) initialization.uniform(nn, self, stdv, self.kW * self.kH * self.nInputPlane) end

   local shape, wanted = convolution_engine.shape(), {}

   -- Checks a call and fills the shape; returns the numbers of images, of pixels, and of weights per pixel and output.
   local function prepare(self, k, x)
      local n = x._dim
      if n ~= 3 and n ~= 4 or x._size[n - 3] ~= self.nInputPlane or x._size[n - 2] ~= self.iH
         or x._size[n - 1] ~= self.iW then
         expect.fail(self, 'input must be of size %dx%dx%d, or a batch (got %s)', self.nInputPlane, self.iH, self.iW,
            expect.describe(x))
      end
      shape.planes, shape.image[1], shape.image[2] = self.nInputPlane, self.iH, self.iW
      geometry.read(self, shape.kernel, { false, 'kH', 'kW' }, 0, 1, 1)
      geometry.read(self, shape.stride, { false, 'dH', 'dW' }, 0, 1, 1)
      geometry.read(self, shape.pad, { false, 'padH', 'padW' }, 0, 0, 0)
      geometry.integer(self, 'nOutputPlane', self.nOutputPlane, 1)
      for d = 1, 2 do
         local out = convolution_engine.output(shape.image[d], shape.kernel[d], shape.stride[d], shape.pad[d], 1)
         shape.map[d] = geometry.integer(self, 'output size', out, 1)
         if out == 1 then shape.stride[d] = 1 end
      end
      local area = geometry.area(self, 'a plane of the output', shape.map[1], shape.map[2])
      local inner = self.nInputPlane * self.kH * self.kW
      if not k.is(self.weight) or k.numel(self.weight) ~= area * self.nOutputPlane * inner then
         expect.fail(self, 'weight must have %d elements of type %s (got %s)', area * self.nOutputPlane * inner,
            k.TYPE, expect.describe(self.weight))
      end
      if not k.is(self.bias) or k.numel(self.bias) ~= area * self.nOutputPlane then
         expect.fail(self, 'bias must have %d elements of type %s (got %s)', area * self.nOutputPlane, k.TYPE,
            expect.describe(self.bias))
      end
      if n == 4 then wanted[1] = x._size[0] end
      wanted[n - 2], wanted[n - 1], wanted[n] = self.nOutputPlane, shape.map[1], shape.map[2]
      return n == 4 and x._size[0] or 1, area, inner
   end

   function Conv:updateOutput(input)
      local k = kernel.of(self, input)
      local images, area, inner = prepare(self, k, input)
      local x, weight, bias = k.as_contiguous(input), k.as_contiguous(self.weight), k.as_contiguous(self.bias)
      local y = geometry.resized(k, self.output, wanted, input._dim)
      self.output = y
      local n = self.nOutputPlane
      local columns, rows = k.new(inner, area), k.new(area, n)
      for s = 0, images - 1 do
         convolution_engine.unfold(k, shape, x, s, columns)
         -- Transposed, so that each pixel is one contiguous vector.
         local pixels = columns:t():contiguous()
         local from, to, w = k.ptr(pixels), k.ptr(rows), k.ptr(weight)
         for q = 0, area - 1 do
            k.gemv(false, n, inner, 1, w + q * n * inner, inner, from + q * inner, 0, to + q * n)
         end
         k.keep_alive(pixels)
         local out = input._dim == 4 and y:select(1, s + 1) or y
         out:copy(rows:t())
         out:add(bias:viewAs(out))
      end
      k.keep_alive(weight, rows)
      return y
   end

   -- gradOutput of an image, transposed in the same way.
   local function pixels_of(self, g, s, batch, area)
      local one = batch and g:select(1, s + 1) or g
      return one:view(self.nOutputPlane, area):t():contiguous()
   end

   function Conv:updateGradInput(input, gradOutput)
      if not self.gradInput then return end
      local k = kernel.of(self, input)
      local images, area, inner = prepare(self, k, input)
      geometry.check_gradient(self, k, gradOutput, wanted, input._dim)
      local g, weight, n = k.as_contiguous(gradOutput), k.as_contiguous(self.weight), self.nOutputPlane
      local r, pixels = k.resize_as(self.gradInput, input), k.new(area, inner)
      for s = 0, images - 1 do
         local rows = pixels_of(self, g, s, input._dim == 4, area)
         local from, to, w = k.ptr(rows), k.ptr(pixels), k.ptr(weight)
         for q = 0, area - 1 do
            k.gemv(true, n, inner, 1, w + q * n * inner, inner, from + q * n, 0, to + q * inner)
         end
         k.keep_alive(rows)
         convolution_engine.fold(k, shape, pixels:t():contiguous(), s, r)
      end
      k.keep_alive(weight, pixels)
      return r
   end

   function Conv:accGradParameters(input, gradOutput, scale)
      scale = scale or 1
      local k = kernel.of(self, input)
      local images, area, inner = prepare(self, k, input)
      geometry.check_gradient(self, k, gradOutput, wanted, input._dim)
      convolution_layer.check_gradients(self, k, self.gradWeight, self.gradBias)
      local x, g, n = k.as_contiguous(input), k.as_contiguous(gradOutput), self.nOutputPlane
      local gw, columns = k.as_contiguous(self.gradWeight), k.new(inner, area)
      for s = 0, images - 1 do
         convolution_engine.unfold(k, shape, x, s, columns)
         local pixels, rows = columns:t():contiguous(), pixels_of(self, g, s, input._dim == 4, area)
         local from, maps, w = k.ptr(pixels), k.ptr(rows), k.ptr(gw)
         for q = 0, area - 1 do k.ger(n, inner, scale, maps + q * n, from + q * inner, w + q * n * inner) end
         k.keep_alive(pixels, rows)
         local one = input._dim == 4 and g:select(1, s + 1) or g
         self.gradBias:add(scale, one)
      end
      k.keep_alive(gw)
      if gw ~= self.gradWeight then self.gradWeight:copy(gw) end
   end

   function Conv:__tostring__()
      local s = string.format('%s(%d -> %d, %dx%d, %dx%d', torch.type(self), self.nInputPlane, self.nOutputPlane,
         self.iW,
         self.iH, self.kW, self.kH)
      local padded = self.padW ~= 0 or self.padH ~= 0
      if self.dW ~= 1 or self.dH ~= 1 or padded then s = string.format('%s, %d,%d', s, self.dW, self.dH) end
      if padded then s = string.format('%s, %d,%d', s, self.padW, self.padH) end
      return s .. ')'
   end
end

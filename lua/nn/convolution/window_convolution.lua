-- The classes of convolutions with one kernel for all pixels, by their specs, which convolution_layer.lua explains.

local torch = require 'torch'
local expect, convolution_layer = require 'nn.checks.expect', require 'nn.convolution.convolution_layer'
local initialization = require 'nn.module.initialization'
local geometry = require 'nn.checks.geometry'
local image_spec, volume_spec = geometry.image_spec, geometry.volume_spec

local specs = {
   SpatialConvolution = image_spec {},
   SpatialConvolutionMM = image_spec { flat = true },
   SpatialDilatedConvolution = image_spec { dilation = { false, 'dilationH', 'dilationW' } },
   SpatialDepthWiseConvolution = image_spec { groups = true, flat = true },
   SpatialFullConvolution = image_spec { transposed = true, adj = { false, 'adjH', 'adjW' } },
   VolumetricConvolution = volume_spec {},
   VolumetricDilatedConvolution = volume_spec { dilation = { 'dilationT', 'dilationH', 'dilationW' } },
   VolumetricFullConvolution = volume_spec { transposed = true, adj = { 'adjT', 'adjH', 'adjW' } },
}

-- The sizes of a kernel: images have two.
local function window(self, spec)
   if spec.dimensions == 2 then return self.kH, self.kW end
   return self.kT, self.kH, self.kW
end

local function check_adjustment(self)
   if self.adjW <= self.dW - 1 and self.adjH <= self.dH - 1 and (self.adjT or 0) <= (self.dT or 1) - 1 then return end
   if self.adjT then
      expect.fail(self, 'adjT, adjW and adjH must be less than dT, dW and dH (got %d, %d, %d)', self.adjT, self.adjW,
         self.adjH)
   end
   expect.fail(self, 'adjW and adjH must be less than dW and dH (got %d, %d)', self.adjW, self.adjH)
end

return function(Conv, parent, nn, name)

   local spec = specs[name]
   local once_flat = name == 'SpatialConvolution' or name == 'SpatialDilatedConvolution'

   local function allocate(self)
      local inputs, outputs = self.nInputPlane, self.nOutputPlane
      if spec.adj then check_adjustment(self) end
      if spec.transposed then
         self.weight = torch.Tensor(inputs, outputs, window(self, spec))
      else
         self.weight = torch.Tensor(outputs, inputs, window(self, spec))
      end
      if spec.flat then self.weight:resize(outputs, inputs * self.kH * self.kW) end
      self.bias = spec.groups and torch.Tensor(outputs, inputs) or torch.Tensor(outputs)
      self.gradWeight, self.gradBias = torch.zeros(self.weight:size()), torch.zeros(self.bias:size())
      self:reset()
   end

   -- A dilated class inherits this from its undilated parent.
   if not spec.dilation then
      Conv.__init = allocate

      function Conv:reset(stdv)
         initialization.uniform(nn, self, stdv, self.nInputPlane * (self.kT or 1) * self.kH * self.kW)
      end
   end

   -- Modules in old files lack fields, have one padding for both dimensions, and flat weights.
   function Conv:upgrade()
      for d = 1, 3 do
         local pad, adj = spec.pad[d], spec.adj and spec.adj[d]
         if pad then self[pad] = self[pad] or self.padding or 0 end
         if adj then self[adj] = self[adj] or 0 end
      end
      self.padding, self.dW, self.dH = nil, self.dW or 1, self.dH or 1
      local weight = self.weight
      if once_flat and torch.isTensor(weight) and weight:dim() == 2 then
         self.weight = weight:view(self.nOutputPlane, self.nInputPlane, self.kH, self.kW)
         if self.gradWeight and self.gradWeight:nElement() == weight:nElement() then
            self.gradWeight = self.gradWeight:view(self.nOutputPlane, self.nInputPlane, self.kH, self.kW)
         end
      end
   end
   if spec.transposed then Conv.backCompatibility = Conv.upgrade end

   convolution_layer.methods(Conv, parent, nn, spec)

   if spec.groups then
      -- As in the original the first call of each method gives rows of kernels their four dimensions.
      local function unfold(self, field)
         local kernels = self[field]
         local outputs, inputs, height, width = self.nOutputPlane, self.nInputPlane, self.kH, self.kW
         if torch.isTensor(kernels) and kernels:dim() == 2 and kernels:isContiguous() and
            kernels:nElement() == outputs * inputs * height * width then
            kernels:resize(outputs, inputs, height, width)
         end
      end

      local forward, accumulate = Conv.updateOutput, Conv.accGradParameters
      function Conv:updateOutput(input)
         unfold(self, 'weight')
         return forward(self, input)
      end

      function Conv:accGradParameters(input, gradOutput, scale)
         unfold(self, 'gradWeight')
         accumulate(self, input, gradOutput, scale)
      end
   end
end

-- nn.SpatialConvolution, and nn.SpatialConvolutionMM, whose weight is a matrix.

local torch = require 'torch'
local convolution_layer = require 'nn.convolution.convolution_layer'

local spec = {
   dimensions = 2, kernel = { false, 'kH', 'kW' }, stride = { false, 'dH', 'dW' }, pad = { false, 'padH', 'padW' },
}

return function(Conv, parent, nn, name)

   local flat = name == 'SpatialConvolutionMM'

   function Conv:__init(nInputPlane, nOutputPlane, kW, kH, dW, dH, padW, padH)
      parent.__init(self)
      self.nInputPlane, self.nOutputPlane, self.kW, self.kH = nInputPlane, nOutputPlane, kW, kH
      self.dW, self.dH, self.padW = dW or 1, dH or 1, padW or 0
      self.padH = padH or self.padW
      if flat then
         self.weight = torch.Tensor(nOutputPlane, nInputPlane * kH * kW)
      else
         self.weight = torch.Tensor(nOutputPlane, nInputPlane, kH, kW)
      end
      self.bias = torch.Tensor(nOutputPlane)
      self.gradWeight, self.gradBias = torch.zeros(self.weight:size()), torch.zeros(nOutputPlane)
      self:reset()
   end

   function Conv:reset(stdv) convolution_layer.draw(nn, self, stdv, self.kW * self.kH * self.nInputPlane) end

   -- Older networks have one padding, or none, and flat weights.
   function Conv:upgrade()
      self.padW = self.padW or self.padding or 0
      self.padH = self.padH or self.padding or 0
      self.padding, self.dW, self.dH = nil, self.dW or 1, self.dH or 1
      local weight = self.weight
      if not flat and torch.isTensor(weight) and weight:dim() == 2 then
         self.weight = weight:view(self.nOutputPlane, self.nInputPlane, self.kH, self.kW)
         if self.gradWeight and self.gradWeight:nElement() == weight:nElement() then
            self.gradWeight = self.gradWeight:view(self.nOutputPlane, self.nInputPlane, self.kH, self.kW)
         end
      end
   end

   convolution_layer.methods(Conv, parent, nn, spec)

end

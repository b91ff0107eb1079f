-- nn.SpatialDepthWiseConvolution: nOutputPlane kernels for each input plane, whose outputs lie one behind the other.

local torch = require 'torch'
local convolution_layer = require 'nn.convolution.convolution_layer'

local spec = {
   dimensions = 2, kernel = { false, 'kH', 'kW' }, stride = { false, 'dH', 'dW' }, pad = { false, 'padH', 'padW' },
   groups = true,
}

return function(Conv, parent, nn)

   function Conv:__init(nInputPlane, nOutputPlane, kW, kH, dW, dH, padW, padH)
      parent.__init(self)
      self.nInputPlane, self.nOutputPlane, self.kW, self.kH = nInputPlane, nOutputPlane, kW, kH
      self.dW, self.dH, self.padW = dW or 1, dH or 1, padW or 0
      self.padH = padH or self.padW
      self.weight = torch.Tensor(nOutputPlane, nInputPlane, kH, kW)
      self.gradWeight = torch.zeros(nOutputPlane, nInputPlane, kH, kW)
      self.bias, self.gradBias = torch.Tensor(nOutputPlane, nInputPlane), torch.zeros(nOutputPlane, nInputPlane)
      self:reset()
   end

   function Conv:reset(stdv) convolution_layer.draw(nn, self, stdv, self.kW * self.kH * self.nInputPlane) end

   convolution_layer.methods(Conv, parent, nn, spec)

end

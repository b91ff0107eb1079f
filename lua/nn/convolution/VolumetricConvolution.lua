-- nn.VolumetricConvolution: a convolution over time, height and width.

local torch = require 'torch'
local convolution_layer = require 'nn.convolution.convolution_layer'

local spec = {
   dimensions = 3, kernel = { 'kT', 'kH', 'kW' }, stride = { 'dT', 'dH', 'dW' }, pad = { 'padT', 'padH', 'padW' },
}

return function(Conv, parent, nn)

   function Conv:__init(nInputPlane, nOutputPlane, kT, kW, kH, dT, dW, dH, padT, padW, padH)
      parent.__init(self)
      self.nInputPlane, self.nOutputPlane, self.kT, self.kW, self.kH = nInputPlane, nOutputPlane, kT, kW, kH
      self.dT, self.dW, self.dH = dT or 1, dW or 1, dH or 1
      self.padT = padT or 0
      self.padW = padW or self.padT
      self.padH = padH or self.padW
      self.weight = torch.Tensor(nOutputPlane, nInputPlane, kT, kH, kW)
      self.bias = torch.Tensor(nOutputPlane)
      self.gradWeight, self.gradBias = torch.zeros(self.weight:size()), torch.zeros(nOutputPlane)
      self:reset()
   end

   function Conv:reset(stdv) convolution_layer.draw(nn, self, stdv, self.kT * self.kW * self.kH * self.nInputPlane) end

   function Conv:upgrade() self.padT, self.padW, self.padH = self.padT or 0, self.padW or 0, self.padH or 0 end

   convolution_layer.methods(Conv, parent, nn, spec)

end

-- nn.VolumetricFullConvolution: the transposed convolution over time, height and width.

local torch = require 'torch'
local expect, convolution_layer = require 'nn.expect', require 'nn.convolution.convolution_layer'

local spec = {
   dimensions = 3, kernel = { 'kT', 'kH', 'kW' }, stride = { 'dT', 'dH', 'dW' }, pad = { 'padT', 'padH', 'padW' },
   transposed = true, adj = { 'adjT', 'adjH', 'adjW' },
}

return function(Conv, parent, nn)

   function Conv:__init(nInputPlane, nOutputPlane, kT, kW, kH, dT, dW, dH, padT, padW, padH, adjT, adjW, adjH)
      parent.__init(self)
      self.nInputPlane, self.nOutputPlane, self.kT, self.kW, self.kH = nInputPlane, nOutputPlane, kT, kW, kH
      self.dT, self.dW, self.dH = dT or 1, dW or 1, dH or 1
      self.padT, self.padW, self.padH = padT or 0, padW or 0, padH or 0
      self.adjT, self.adjW, self.adjH = adjT or 0, adjW or 0, adjH or 0
      if self.adjT > self.dT - 1 or self.adjW > self.dW - 1 or self.adjH > self.dH - 1 then
         expect.fail(self, 'adjT, adjW and adjH smaller than dT, dW and dH expected (got %d, %d, %d)', self.adjT,
            self.adjW, self.adjH)
      end
      self.weight = torch.Tensor(nInputPlane, nOutputPlane, kT, kH, kW)
      self.bias = torch.Tensor(nOutputPlane)
      self.gradWeight, self.gradBias = torch.zeros(self.weight:size()), torch.zeros(nOutputPlane)
      self:reset()
   end

   function Conv:reset(stdv) convolution_layer.draw(nn, self, stdv, self.nInputPlane * self.kT * self.kH * self.kW) end

   function Conv:upgrade()
      self.adjT, self.adjW, self.adjH = self.adjT or 0, self.adjW or 0, self.adjH or 0
   end
   Conv.backCompatibility = Conv.upgrade

   convolution_layer.methods(Conv, parent, nn, spec)

end

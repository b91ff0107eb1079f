-- nn.SpatialFullConvolution: the transposed convolution. Its output has adjW and adjH more columns and rows than the
-- smallest that gives the input back, or is as large as a second input.

local torch = require 'torch'
local expect, convolution_layer = require 'nn.expect', require 'nn.convolution.convolution_layer'

local spec = {
   dimensions = 2, kernel = { false, 'kH', 'kW' }, stride = { false, 'dH', 'dW' }, pad = { false, 'padH', 'padW' },
   transposed = true, adj = { false, 'adjH', 'adjW' },
}

return function(Conv, parent, nn)

   function Conv:__init(nInputPlane, nOutputPlane, kW, kH, dW, dH, padW, padH, adjW, adjH)
      parent.__init(self)
      self.nInputPlane, self.nOutputPlane, self.kW, self.kH = nInputPlane, nOutputPlane, kW, kH
      self.dW, self.dH, self.padW, self.padH = dW or 1, dH or 1, padW or 0, padH or 0
      self.adjW, self.adjH = adjW or 0, adjH or 0
      if self.adjW > self.dW - 1 or self.adjH > self.dH - 1 then
         expect.fail(self, 'adjW and adjH smaller than dW and dH expected (got %d, %d)', self.adjW, self.adjH)
      end
      self.weight = torch.Tensor(nInputPlane, nOutputPlane, kH, kW)
      self.gradWeight = torch.zeros(nInputPlane, nOutputPlane, kH, kW)
      self.bias, self.gradBias = torch.Tensor(nOutputPlane), torch.zeros(nOutputPlane)
      self:reset()
   end

   function Conv:reset(stdv) convolution_layer.draw(nn, self, stdv, self.nInputPlane * self.kH * self.kW) end

   function Conv:upgrade() self.adjW, self.adjH = self.adjW or 0, self.adjH or 0 end
   Conv.backCompatibility = Conv.upgrade

   convolution_layer.methods(Conv, parent, nn, spec)

end

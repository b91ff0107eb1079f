-- nn.VolumetricDilatedConvolution: a convolution over time, height and width whose taps are some elements apart.

local convolution_layer = require 'nn.convolution.convolution_layer'

local spec = {
   dimensions = 3, kernel = { 'kT', 'kH', 'kW' }, stride = { 'dT', 'dH', 'dW' }, pad = { 'padT', 'padH', 'padW' },
   dilation = { 'dilationT', 'dilationH', 'dilationW' },
}

return function(Conv, parent, nn)

   function Conv:__init(nInputPlane, nOutputPlane, kT, kW, kH, dT, dW, dH, padT, padW, padH, dilationT, dilationW,
      dilationH)
      parent.__init(self, nInputPlane, nOutputPlane, kT, kW, kH, dT, dW, dH, padT, padW, padH)
      self.dilationT, self.dilationW, self.dilationH = dilationT or 1, dilationW or 1, dilationH or 1
   end

   convolution_layer.methods(Conv, parent, nn, spec)

end

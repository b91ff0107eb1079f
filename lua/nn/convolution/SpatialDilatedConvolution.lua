-- nn.SpatialDilatedConvolution: a convolution whose taps are some elements apart.

local convolution_layer = require 'nn.convolution.convolution_layer'

local spec = {
   dimensions = 2, kernel = { false, 'kH', 'kW' }, stride = { false, 'dH', 'dW' }, pad = { false, 'padH', 'padW' },
   dilation = { false, 'dilationH', 'dilationW' },
}

return function(Conv, parent, nn)

   function Conv:__init(nInputPlane, nOutputPlane, kW, kH, dW, dH, padW, padH, dilationW, dilationH)
      parent.__init(self, nInputPlane, nOutputPlane, kW, kH, dW, dH, padW, padH)
      self.dilationW, self.dilationH = dilationW or 1, dilationH or 1
   end

   convolution_layer.methods(Conv, parent, nn, spec)

end

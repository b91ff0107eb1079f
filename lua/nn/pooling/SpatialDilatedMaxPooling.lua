-- nn.SpatialDilatedMaxPooling: elements of a window are some elements apart.

local pooling_layer = require 'nn.pooling.pooling_layer'

local spec = {
   dimensions = 2, kernel = { false, 'kH', 'kW' }, stride = { false, 'dH', 'dW' }, pad = { false, 'padH', 'padW' },
   dilation = { false, 'dilationH', 'dilationW' }, max = true, rounding = true, remember = { 'iheight', 'iwidth' },
}

return function(Pool, parent)

   function Pool:__init(kW, kH, dW, dH, padW, padH, dilationW, dilationH)
      parent.__init(self, kW, kH, dW, dH, padW, padH)
      self.dilationW, self.dilationH = dilationW or 1, dilationH or 1
   end

   pooling_layer.methods(Pool, parent, spec)

   function Pool:__tostring__() return pooling_layer.describe(self, spec) end

end

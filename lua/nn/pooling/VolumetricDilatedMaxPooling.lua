-- nn.VolumetricDilatedMaxPooling: elements of a window are some elements apart.

local pooling_layer = require 'nn.pooling.pooling_layer'

local spec = {
   dimensions = 3, kernel = { 'kT', 'kH', 'kW' }, stride = { 'dT', 'dH', 'dW' }, pad = { 'padT', 'padH', 'padW' },
   dilation = { 'dilationT', 'dilationH', 'dilationW' }, max = true, rounding = true,
   remember = { 'itime', 'iheight', 'iwidth' },
}

return function(Pool, parent)

   function Pool:__init(kT, kW, kH, dT, dW, dH, padT, padW, padH, dilationT, dilationW, dilationH)
      parent.__init(self, kT, kW, kH, dT, dW, dH, padT, padW, padH)
      self.dilationT, self.dilationW, self.dilationH = dilationT or 1, dilationW or 1, dilationH or 1
   end

   pooling_layer.methods(Pool, parent, spec)

   function Pool:__tostring__() return pooling_layer.describe(self, spec) end

end

-- nn.SpatialMaxPooling.

local pooling_layer = require 'nn.pooling.pooling_layer'
local torch = require 'torch'

local spec = {
   dimensions = 2, kernel = { false, 'kH', 'kW' }, stride = { false, 'dH', 'dW' }, pad = { false, 'padH', 'padW' },
   max = true, rounding = true, remember = { 'iheight', 'iwidth' },
}

return function(Pool, parent)

   function Pool:__init(kW, kH, dW, dH, padW, padH)
      parent.__init(self)
      self.kW, self.kH, self.dW, self.dH = kW, kH, dW or kW, dH or kH
      self.padW, self.padH, self.ceil_mode = padW or 0, padH or 0, false
      self.indices = torch.LongTensor()
   end

   function Pool:upgrade()
      self.padW, self.padH, self.ceil_mode = self.padW or 0, self.padH or 0, self.ceil_mode or false
   end

   pooling_layer.methods(Pool, parent, spec)

   function Pool:__tostring__() return pooling_layer.describe(self, spec) end

end

-- nn.VolumetricMaxPooling.

local pooling_layer = require 'nn.pooling.pooling_layer'
local torch = require 'torch'

local spec = {
   dimensions = 3, kernel = { 'kT', 'kH', 'kW' }, stride = { 'dT', 'dH', 'dW' }, pad = { 'padT', 'padH', 'padW' },
   max = true, rounding = true, remember = { 'itime', 'iheight', 'iwidth' },
}

return function(Pool, parent)

   function Pool:__init(kT, kW, kH, dT, dW, dH, padT, padW, padH)
      parent.__init(self)
      self.kT, self.kW, self.kH = kT, kW, kH
      self.dT, self.dW, self.dH = dT or kT, dW or kW, dH or kH
      self.padT, self.padW, self.padH = padT or 0, padW or 0, padH or 0
      self.ceil_mode, self.indices = false, torch.LongTensor()
   end

   function Pool:upgrade()
      self.padT, self.padW, self.padH = self.padT or 0, self.padW or 0, self.padH or 0
      self.ceil_mode = self.ceil_mode or false
   end

   pooling_layer.methods(Pool, parent, spec)

   function Pool:__tostring__() return pooling_layer.describe(self, spec) end

end

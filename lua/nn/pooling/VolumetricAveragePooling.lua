-- nn.VolumetricAveragePooling.

local pooling_layer = require 'nn.pooling.pooling_layer'

local spec = {
   dimensions = 3, kernel = { 'kT', 'kH', 'kW' }, stride = { 'dT', 'dH', 'dW' }, pad = { 'padT', 'padH', 'padW' },
   include = 'count_include_pad', rounding = true,
}

return function(Pool, parent)

   function Pool:__init(kT, kW, kH, dT, dW, dH, padT, padW, padH)
      parent.__init(self)
      self.kT, self.kW, self.kH = kT, kW, kH
      self.dT, self.dW, self.dH = dT or kT, dW or kW, dH or kH
      self.padT, self.padW, self.padH = padT or 0, padW or 0, padH or 0
      self.ceil_mode, self.count_include_pad = false, true
   end

   function Pool:empty() return self:clearState() end

   pooling_layer.methods(Pool, parent, spec)

   function Pool:__tostring__() return pooling_layer.describe(self, spec) end

end

-- nn.TemporalMaxPooling: the maximum of each feature over kW frames. Its indices count the frames of a window from 0.

local torch = require 'torch'
local pooling_layer = require 'nn.pooling.pooling_layer'

local spec = { dimensions = 1, kernel = { false, 'kW', false }, stride = { false, 'dW', false }, max = true }

return function(Pool, parent)

   function Pool:__init(kW, dW)
      parent.__init(self)
      self.kW, self.dW = kW, dW or kW
      self.indices = torch.LongTensor()
   end

   pooling_layer.methods(Pool, parent, spec)

end

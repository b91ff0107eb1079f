-- nn.SpatialLinear: a linear layer over the planes, at each pixel of a map.

local check = require 'torch.base.check'

return function(SpatialLinear, parent)

   function SpatialLinear:__init(inputs, outputs)
      parent.__init(self, inputs, outputs, 1, 1)
      self.fanin, self.fanout = inputs, outputs
   end

   -- Shrinks the parameters by this share.
   function SpatialLinear:decayParameters(decay)
      check.number(self, 'decay', decay)
      self.weight:mul(1 - decay)
      self.bias:mul(1 - decay)
   end
end

-- nn.SpatialLinear: a linear layer over the planes, at each pixel of a map.

local torch = require 'torch'

return function(nn)
   local SpatialLinear, parent = torch.class('nn.SpatialLinear', 'nn.SpatialConvolutionMM', nn)

   function SpatialLinear:__init(inputs, outputs)
      parent.__init(self, inputs, outputs, 1, 1)
      self.fanin, self.fanout = inputs, outputs
   end

   function SpatialLinear:__tostring__()
      return ('nn.SpatialLinear(%d -> %d)'):format(self.nInputPlane, self.nOutputPlane)
   end
end

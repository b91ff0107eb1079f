-- nn.SpatialContrastiveNormalization: subtractive, then divisive normalisation.

local torch = require 'torch'

return function(Norm, _, nn)

   function Norm:__init()
      self.kernel = self.kernel or torch.Tensor(9, 9):fill(1)
      self.normalizer = nn.Sequential()
         :add(nn.SpatialSubtractiveNormalization(self.nInputPlane, self.kernel))
         :add(nn.SpatialDivisiveNormalization(self.nInputPlane, self.kernel, self.threshold, self.thresval))
   end

   function Norm:updateOutput(input)
      self.output = self.normalizer:forward(input)
      return self.output
   end

   function Norm:updateGradInput(input, gradOutput)
      self.gradInput = self.normalizer:backward(input, gradOutput)
      return self.gradInput
   end

end

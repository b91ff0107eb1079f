-- nn.SpatialContrastiveNormalization: subtractive, then divisive normalisation.

local torch = require 'torch'

return function(Norm, parent, nn)

   function Norm:__init(nInputPlane, kernel, threshold, thresval)
      parent.__init(self)
      self.nInputPlane, self.kernel = nInputPlane or 1, kernel or torch.Tensor(9, 9):fill(1)
      self.threshold = threshold or 1e-4
      self.thresval = thresval or threshold or 1e-4
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

-- nn.TreeNLLCriterion: minus the mean of logarithms of probabilities, as nn.SoftMaxTree gives them.

local check = require 'torch.base.check'

return function(Loss)

   function Loss:updateOutput(input)
      check.dimensions(self, 'input', input, 1, 2)
      self.output = -input:mean()
      return self.output
   end

   function Loss:updateGradInput(input)
      self.gradInput:resizeAs(input):fill(-1 / input:nElement())
      return self.gradInput
   end
end

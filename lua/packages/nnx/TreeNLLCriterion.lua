-- nn.TreeNLLCriterion: minus the mean of logarithms of probabilities, as nn.SoftMaxTree gives them.

local nn, torch = require 'nn', require 'torch'
local check = require 'torch.base.check'

return function(Loss, parent)

   -- Torch7's methods read both fields in files.
   function Loss:__init()
      parent.__init(self)
      self._module, self._output_grad = nn.Mean(), torch.Tensor { -1 }
   end

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

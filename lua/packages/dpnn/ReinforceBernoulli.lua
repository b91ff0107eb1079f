-- nn.ReinforceBernoulli: draws 1 with the probabilities in the input, and 0 otherwise.

local torch = require 'torch'
local check = require 'torch.base.check'

return function(Bernoulli)

   function Bernoulli:updateOutput(input)
      check.real(self, 'input', input)
      local drawn = self:draws() and torch.lt(torch.rand(input:size()):typeAs(input), input)
      return self.output:resizeAs(input):copy(drawn or input)
   end

   function Bernoulli:updateGradInput(input)
      check.same_size(self, 'input', input, self.output)
      -- (x - p) / (p (1 - p))
      local variance = input:clone():mul(-1):add(1):cmul(input):add(1e-12)
      self.gradInput:resizeAs(input):copy(self.output):add(-1, input):cdiv(variance)
      return self:rewarded(self.gradInput)
   end
end

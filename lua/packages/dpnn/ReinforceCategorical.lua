-- nn.ReinforceCategorical: draws one class for each row of probabilities.

local torch = require 'torch'
local check = require 'torch.base.check'

return function(Categorical)

   -- A row with a single 1.
   function Categorical:updateOutput(input)
      check.real(self, 'input', input)
      check.dimensions(self, 'input', input, 2, 2)
      self.output:resizeAs(input)
      if not self:draws() then return self.output:copy(input) end
      self.index = torch.multinomial(input, 1)
      return self.output:zero():scatter(2, self.index, 1)
   end

   function Categorical:updateGradInput(input)
      self.gradInput:resizeAs(input):copy(self.output):cdiv(input + 1e-8)
      return self:rewarded(self.gradInput)
   end
end

-- nn.L1Cost: the sum of absolute values, without a target.

local expect = require 'nn.checks.expect'

return function(L1Cost)

   function L1Cost:updateOutput(input)
      self.output = expect.own(self, input):norm(1)
      return self.output
   end

   function L1Cost:updateGradInput(input)
      self.gradInput:resizeAs(expect.own(self, input)):copy(input):sign()
      return self.gradInput
   end

   function L1Cost:clearState()
      self.gradInput:set()
      return self
   end
end

-- nn.GradientReversal: passes its input on, and gradients with the other sign, times lambda.

local expect = require 'nn.checks.expect'

return function(GradientReversal)

   function GradientReversal:setLambda(lambda) self.lambda = lambda end

   function GradientReversal:updateOutput(input)
      self.output:set(expect.own(self, input))
      return self.output
   end

   function GradientReversal:updateGradInput(_, gradOutput)
      self.gradInput:resizeAs(expect.own(self, gradOutput, 'gradOutput')):mul(gradOutput, -self.lambda)
      return self.gradInput
   end

   function GradientReversal:upgrade() self.lambda = self.lambda or 1 end
end

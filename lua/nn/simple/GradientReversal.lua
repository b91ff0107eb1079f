-- nn.GradientReversal: passes its input on, and gradients with the other sign, times lambda.

local check = require 'nn.check'

return function(GradientReversal, parent)

   function GradientReversal:__init(lambda)
      parent.__init(self)
      self.lambda = lambda or 1
   end

   function GradientReversal:setLambda(lambda) self.lambda = lambda end

   function GradientReversal:updateOutput(input)
      self.output:set(check.own(self, input))
      return self.output
   end

   function GradientReversal:updateGradInput(_, gradOutput)
      self.gradInput:resizeAs(check.own(self, gradOutput, 'gradOutput')):mul(gradOutput, -self.lambda)
      return self.gradInput
   end

   function GradientReversal:upgrade() self.lambda = self.lambda or 1 end
end

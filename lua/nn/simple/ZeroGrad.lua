-- nn.ZeroGrad: passes its input on, and gradients of 0.

local expect = require 'nn.checks.expect'

return function(ZeroGrad)

   function ZeroGrad:updateOutput(input)
      self.output:set(expect.own(self, input))
      return self.output
   end

   function ZeroGrad:updateGradInput(input)
      self.gradInput:resizeAs(expect.own(self, input)):zero()
      return self.gradInput
   end
end

-- nn.ZeroGrad: passes its input on, and gradients of 0.

local check = require 'nn.check'

return function(ZeroGrad)

   function ZeroGrad:updateOutput(input)
      self.output:set(check.own(self, input))
      return self.output
   end

   function ZeroGrad:updateGradInput(input)
      self.gradInput:resizeAs(check.own(self, input)):zero()
      return self.gradInput
   end
end

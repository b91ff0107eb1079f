-- nn.L1Penalty: passes its input on, and adds the gradient of its L1 norm on the way back.

local expect = require 'nn.checks.expect'

return function(L1Penalty)

   local function weight(self, input)
      return self.sizeAverage and self.l1weight / input:nElement() or self.l1weight
   end

   function L1Penalty:updateOutput(input)
      self.loss = weight(self, expect.own(self, input)) * input:norm(1)
      self.output = input
      return input
   end

   function L1Penalty:updateGradInput(input, gradOutput)
      local gradient = self.gradInput:resizeAs(expect.own(self, input)):copy(input):sign():mul(weight(self, input))
      if self.provideOutput then gradient:add(expect.own(self, gradOutput, 'gradOutput')) end
      return gradient
   end
end

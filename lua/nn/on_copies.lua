-- Modules that modify a copy of the input, and a copy of gradOutput, in place: on_copies(Class, forward, backward)
-- defines the methods from forward(self, output, input) and backward(self, gradInput, input).

local check = require 'torch.base.check'

return function(Class, forward, backward)

   function Class:updateOutput(input)
      check.real(self, 'input', input)
      self.output:resizeAs(input):copy(input)
      forward(self, self.output, input)
      return self.output
   end

   function Class:updateGradInput(input, gradOutput)
      check.same_size(self, 'gradOutput', gradOutput, input)
      self.gradInput:resizeAs(gradOutput):copy(gradOutput)
      backward(self, self.gradInput, input)
      return self.gradInput
   end
end

-- nn.Clip: elements within bounds. Gradients pass as they are.

local check = require 'torch.base.check'

return function(Clip, parent)

   function Clip:__init(minval, maxval)
      parent.__init(self)
      if not (minval < maxval) then
         check.fail('Clip', 'lower bound must be less than the upper one (got %s and %s)', minval, maxval)
      end
      self.minval, self.maxval = minval, maxval
   end

   function Clip:updateOutput(input)
      check.real(self, 'input', input)
      self.output:resizeAs(input):copy(input):clamp(self.minval, self.maxval)
      return self.output
   end

   function Clip:updateGradInput(input, gradOutput)
      check.same_size(self, 'gradOutput', gradOutput, input)
      self.gradInput:resizeAs(gradOutput):copy(gradOutput)
      return self.gradInput
   end
end

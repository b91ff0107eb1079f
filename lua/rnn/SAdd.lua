-- nn.SAdd: input + addend, or with `negate` minus that.

local check = require 'torch.base.check'

return function(SAdd, parent)

   function SAdd:__init(addend, negate)
      parent.__init(self)
      self.addend, self.negate = check.number('SAdd', 'addend', addend), negate or false
   end

   function SAdd:updateOutput(input)
      check.real(self, 'input', input)
      self.output:resizeAs(input):copy(input):add(self.addend)
      if self.negate then self.output:mul(-1) end
      return self.output
   end

   function SAdd:updateGradInput(input, gradOutput)
      check.same_size(self, 'gradOutput', gradOutput, input)
      self.gradInput:resizeAs(gradOutput):copy(gradOutput)
      if self.negate then self.gradInput:mul(-1) end
      return self.gradInput
   end
end

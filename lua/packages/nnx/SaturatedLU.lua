-- nn.SaturatedLU: elements below the lower threshold have the lower value, those above the upper one the upper value.

local check = require 'torch.base.check'

return function(SaturatedLU, parent)

   function SaturatedLU:__init(threshold, value, threshold2, value2)
      parent.__init(self)
      self.threshold, self.val = threshold or -1, value or -1
      self.threshold2, self.val2 = threshold2 or 1, value2 or 1
   end

   -- A lower value above the upper threshold becomes the upper value.
   function SaturatedLU:updateOutput(input)
      check.real(self, 'input', input)
      self.output = input:clone()
      self.output:maskedFill(self.output:lt(self.threshold), self.val)
      self.output:maskedFill(self.output:gt(self.threshold2), self.val2)
      return self.output
   end

   function SaturatedLU:updateGradInput(input, gradOutput)
      check.same_size(self, 'gradOutput', gradOutput, check.real(self, 'input', input))
      self.gradInput = gradOutput:clone()
      self.gradInput:maskedFill(input:lt(self.threshold), 0):maskedFill(input:gt(self.threshold2), 0)
      return self.gradInput
   end
end

-- nn.SaturatedLU: elements below the lower threshold have the lower value, those above the upper one the upper value.

local check = require 'torch.base.check'

return function(SaturatedLU, parent)

   function SaturatedLU:__init(threshold, value, upper, upper_value)
      parent.__init(self)
      self.threshold, self.val = threshold or 0, value or 0
      self.threshold_upper, self.val_upper = upper or 1, upper_value or 1
      if not (self.threshold <= self.threshold_upper) then
         check.fail('SaturatedLU', 'lower threshold must be less than the upper one (got %s and %s)', self.threshold,
            self.threshold_upper)
      end
   end

   function SaturatedLU:updateOutput(input)
      check.real(self, 'input', input)
      self.output:resizeAs(input):copy(input)
      self.output:maskedFill(input:lt(self.threshold), self.val)
      self.output:maskedFill(input:gt(self.threshold_upper), self.val_upper)
      return self.output
   end

   function SaturatedLU:updateGradInput(input, gradOutput)
      check.same_size(self, 'gradOutput', gradOutput, input)
      self.gradInput:resizeAs(gradOutput):copy(gradOutput)
      self.gradInput:maskedFill(input:lt(self.threshold), 0):maskedFill(input:gt(self.threshold_upper), 0)
      return self.gradInput
   end
end

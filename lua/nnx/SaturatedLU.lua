-- nn.SaturatedLU: elements below the lower threshold have the lower value, those above the upper one the upper value.

local check, on_copies = require 'torch.base.check', require 'nn.on_copies'

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

   local function set_outside(self, copy, input, low, high)
      copy:maskedFill(input:lt(self.threshold), low):maskedFill(input:gt(self.threshold_upper), high)
   end

   on_copies(SaturatedLU, function(self, output, input)
      set_outside(self, output, input, self.val, self.val_upper)
   end, function(self, gradInput, input) set_outside(self, gradInput, input, 0, 0) end)
end

-- nn.TrimZero: as nn.MaskZero, but the module sees only the samples that are not zeros: less work where many are.

local check, zero_rows = require 'torch.base.check', require 'rnn.zero_rows'

return function(TrimZero, parent, nn)

   -- The mask as one for a single sample, or the numbers of the samples that remain.
   function TrimZero:updateOutput(input)
      self.zeroMask, self.batchmode = zero_rows.mask(self, input, self.nInputDim)
      if not self.batchmode then return parent.updateOutput(self, input) end
      self._numbers = zero_rows.rest(self.zeroMask)
      self._count = self.zeroMask:size(1)
      if not self._numbers then
         -- All samples are zeros: the output for them gives the sizes.
         self._trimmed = nil
         self.output = self:recursiveMask(self.output, self.modules[1]:updateOutput(input), self.zeroMask)
         return self.output
      end
      self._trimmed = zero_rows.select(self, 'input', input, self._numbers, self._count)
      local output = self.modules[1]:updateOutput(self._trimmed)
      self.output = zero_rows.scatter(self.output, output, self._numbers, self._count)
      return self.output
   end

   TrimZero.recursiveUnMask = function(self, output, input)
      return zero_rows.scatter(output, input, self._numbers, self._count)
   end

   local function trimmed(self, gradOutput)
      if not self.zeroMask then check.fail(self, 'backward called before forward') end
      return zero_rows.select(self, 'gradOutput', gradOutput, self._numbers, self._count)
   end

   function TrimZero:updateGradInput(input, gradOutput)
      if not self.batchmode then return parent.updateGradInput(self, input, gradOutput) end
      if not self._numbers then
         self.gradInput = nn.rnn.recursiveFill(nn.rnn.recursiveCopy(self.gradInput, input), 0)
         return self.gradInput
      end
      local gradient = self.modules[1]:updateGradInput(self._trimmed, trimmed(self, gradOutput))
      -- A sample without a batch leaves the gradient of the module itself here.
      local to = not rawequal(self.gradInput, gradient) and self.gradInput or nil
      self.gradInput = zero_rows.scatter(to, gradient, self._numbers, self._count)
      return self.gradInput
   end

   function TrimZero:accGradParameters(input, gradOutput, scale)
      if not self.batchmode then return parent.accGradParameters(self, input, gradOutput, scale) end
      if self._numbers then self.modules[1]:accGradParameters(self._trimmed, trimmed(self, gradOutput), scale) end
   end
end

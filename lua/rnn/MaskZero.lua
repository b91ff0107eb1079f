-- nn.MaskZero: a module whose output is zero for samples of the input that are all zeros.

local torch = require 'torch'
local check, warn, zero_rows = require 'torch.base.check', require 'torch.base.warn', require 'rnn.zero_rows'

return function(MaskZero, parent)

   -- nInputDim: the dimensions of a sample of the first tensor of the input.
   function MaskZero:__init(module, nInputDim, silent)
      parent.__init(self, module)
      if torch.isTypeOf(module, 'nn.AbstractRecurrent') and not silent then
         warn.once('%s of a recurrent module keeps its state: module:maskZero(%s) starts it anew', torch.type(self),
            check.describe(nInputDim))
      end
      self.nInputDim = check.size(self, 'dimensions of a sample', nInputDim)
   end

   MaskZero.recursiveGetFirst = function(_, input) return zero_rows.first(input) end

   function MaskZero:recursiveMask(output, input, mask)
      return zero_rows.masked(self, output, input, mask, self.batchmode)
   end

   function MaskZero:updateOutput(input)
      self.zeroMask, self.batchmode = zero_rows.mask(self, input, self.nInputDim)
      self.output = self:recursiveMask(self.output, self.modules[1]:updateOutput(input), self.zeroMask)
      return self.output
   end

   -- Outputs for samples of zeros are constant: their gradients are zero.
   local function masked(self, gradOutput)
      if not self.zeroMask then check.fail(self, 'backward called before forward') end
      self.gradOutput = self:recursiveMask(self.gradOutput, gradOutput, self.zeroMask)
      return self.gradOutput
   end

   function MaskZero:updateGradInput(input, gradOutput)
      self.gradInput = self.modules[1]:updateGradInput(input, masked(self, gradOutput))
      return self.gradInput
   end

   function MaskZero:accGradParameters(input, gradOutput, scale)
      self.modules[1]:accGradParameters(input, masked(self, gradOutput), scale)
   end
end

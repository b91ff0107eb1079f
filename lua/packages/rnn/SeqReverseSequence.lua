-- nn.SeqReverseSequence: a tensor with a dimension, 1 to 3, in the reverse order.

local torch = require 'torch'
local check = require 'torch.base.check'

return function(Reverse, parent)

   function Reverse:__init(dim)
      parent.__init(self)
      self.dim = check.integer('SeqReverseSequence', 'dimension', dim, 1, 3)
   end

   local function reversed(self, what, from, to)
      check.real(self, what, from)
      check.dimensions(self, what, from, self.dim, 10)
      local size = from:size(self.dim)
      self._numbers = (self._numbers or torch.LongTensor()):resize(size)
      self._numbers:copy(torch.range(size, 1, -1))
      return to:resizeAs(from):index(from, self.dim, self._numbers)
   end

   function Reverse:updateOutput(input)
      self.output = reversed(self, 'input', input, self.output)
      return self.output
   end
   function Reverse:updateGradInput(input, gradOutput)
      check.same_size(self, 'gradOutput', gradOutput, input)
      self.gradInput = reversed(self, 'gradOutput', gradOutput, self.gradInput)
      return self.gradInput
   end
   Reverse.reverseOutput, Reverse.reverseGradOutput = Reverse.updateOutput, function(self, gradOutput)
      return self:updateGradInput(gradOutput, gradOutput)
   end
end

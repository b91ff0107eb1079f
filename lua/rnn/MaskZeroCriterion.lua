-- nn.MaskZeroCriterion: a criterion that leaves out the samples of the input that are all zeros, and their targets.

local torch = require 'torch'
local check, zero_rows = require 'torch.base.check', require 'rnn.zero_rows'

return function(Criterion, parent, nn)

   function Criterion:__init(criterion, nInputDim)
      parent.__init(self)
      if not torch.isTypeOf(criterion, 'nn.Criterion') then
         check.refuse('MaskZeroCriterion', 'argument 1', 'a criterion', criterion)
      end
      self.criterion = criterion
      self.nInputDim = check.size('MaskZeroCriterion', 'dimensions of a sample', nInputDim)
   end

   Criterion.recursiveGetFirst = function(_, input) return zero_rows.first(input) end

   -- The samples that remain, and their targets; nil where there are none.
   local function parts(self, input, target)
      local mask, batch = zero_rows.mask(self, input, self.nInputDim)
      if not batch then
         check.refuse(self, 'input', ('a batch of tensors of %d dimensions'):format(self.nInputDim),
            zero_rows.first(input))
      end
      self.zeroMask = mask
      self._numbers, self._count = zero_rows.rest(mask), mask:size(1)
      if not self._numbers then return end
      return zero_rows.select(self, 'input', input, self._numbers, self._count),
         zero_rows.select(self, 'target', target, self._numbers, self._count)
   end

   function Criterion:updateOutput(input, target)
      local x, t = parts(self, input, target)
      self.output = x and self.criterion:updateOutput(x, t) or 0
      return self.output
   end

   function Criterion:updateGradInput(input, target)
      local x, t = parts(self, input, target)
      if x then
         local gradient = self.criterion:updateGradInput(x, t)
         self.gradInput = zero_rows.spread(self.gradInput, gradient, self._numbers, self._count)
      else
         self.gradInput = nn.rnn.recursiveFill(nn.rnn.recursiveCopy(self.gradInput, input), 0)
      end
      return self.gradInput
   end

   function Criterion:type(name, cache)
      if name then self.zeroMask, self._numbers = nil, nil end
      return parent.type(self, name, cache)
   end
end

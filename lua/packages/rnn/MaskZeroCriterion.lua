-- nn.MaskZeroCriterion: a criterion that leaves out the samples of a mask, and their targets. The mask is that of the
-- samples of zeros, or of setZeroMask, as for nn.MaskZero.

local check, expect = require 'torch.base.check', require 'nn.checks.expect'
local zero_rows = require 'rnn.zero_rows'

return function(Criterion, parent, nn)

   function Criterion:__init(criterion, nInputDim)
      parent.__init(self)
      self.criterion = expect.instance_of('nn.Criterion', 'MaskZeroCriterion', 'argument 1', criterion)
      if type(nInputDim) == 'number' then
         self.nInputDim = check.integer('MaskZeroCriterion', 'dimensions of a sample', nInputDim, 0)
         return
      end
      if nInputDim and nInputDim ~= true then
         check.argument_error('MaskZeroCriterion', 'dimensions of a sample', 'a number, true or nil', nInputDim)
      end
      self.v2 = not nInputDim
   end

   Criterion.recursiveGetFirst = function(_, input) return zero_rows.first(input) end

   -- The samples of `src` that are not in the mask; nil if there are none.
   function Criterion:recursiveMask(_, src, mask)
      local numbers = zero_rows.rest(mask)
      return numbers and zero_rows.select(self, 'each part', src, numbers, mask:size(1))
   end

   -- Puts the samples outside of the mask back at their indices, in tensors of the sizes of `input` with zeros
   -- elsewhere.
   function Criterion:recursiveMaskGradInput(dst, mask, src, input)
      local numbers = zero_rows.rest(mask)
      if numbers then return zero_rows.scatter(dst, src, numbers, mask:size(1)) end
      return nn.rnn.recursiveFill(nn.rnn.recursiveCopy(dst, input), 0)
   end

   Criterion.setZeroMask = nn.MaskZero.setZeroMask

   -- A mask of the batch; false for none.
   local function mask_of(self, input)
      if self.nInputDim and not self.v2 then
         local mask, batch = zero_rows.mask(self, input, self.nInputDim)
         if not batch then
            check.argument_error(self, 'input', string.format('a batch of tensors of %d dimensions', self.nInputDim),
               zero_rows.first(input))
         end
         return mask
      end
      if not self.v2 then return (nn.utils.getZeroMaskBatch(input)) end
      if self.zeroMask == nil then check.fail(self, 'a mask, or false, must be given by setZeroMask before forward') end
      if self.zeroMask then check.dimensions(self, 'mask', self.zeroMask, 1, 1) end
      return self.zeroMask
   end

   -- The samples that remain, and their targets; nil if there are none.
   local function parts(self, input, target)
      self.zeroMask = mask_of(self, input)
      local mask = self.zeroMask
      if not mask then return input, target end
      local numbers, count = zero_rows.rest(mask), mask:size(1)
      if not numbers then return end
      return zero_rows.select(self, 'input', input, numbers, count),
         zero_rows.select(self, 'target', target, numbers, count)
   end

   function Criterion:updateOutput(input, target)
      local x, t = parts(self, input, target)
      self.isEmptyBatch = x == nil
      self.output = x and self.criterion:updateOutput(x, t) or 0
      return self.output
   end

   function Criterion:updateGradInput(input, target)
      local x, t = parts(self, input, target)
      if x then x = self.criterion:updateGradInput(x, t) end
      if self.zeroMask then
         self.gradInput = self:recursiveMaskGradInput(self.gradInput, self.zeroMask, x, input)
      else
         self.gradInput = nn.utils.recursiveCopy(self.gradInput, x)
      end
      return self.gradInput
   end
end

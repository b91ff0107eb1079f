-- nn.L1HingeEmbeddingCriterion: the L1 distance of two tensors, which is to be small for target 1 and larger than a
-- margin for -1.

local torch, pair = require 'torch', require 'nn.tables.pair'
local expect = require 'nn.checks.expect'

return function(L1HingeEmbeddingCriterion, parent)

   function L1HingeEmbeddingCriterion:__init()
      self.gradInput = { torch.Tensor(), torch.Tensor() }
   end

   local function parts(self, input, target)
      expect.parts(self, input)
      expect.same_count(self, expect.tensor(self, input[1], 'input[1]'), expect.tensor(self, input[2], 'input[2]'),
         'input[2]')
      local sign = target
      if torch.isTensor(target) and target:nElement() == 1 then sign = target:view(-1)[1] end
      if sign ~= 1 and sign ~= -1 then expect.argument_error(self, 'target', '1 or -1', target) end
      return torch.add(input[1], -1, input[2]), sign
   end

   function L1HingeEmbeddingCriterion:updateOutput(input, target)
      local d, sign = parts(self, input, target)
      local distance = torch.abs(d):sum()
      self.output = sign == 1 and distance or distance > self.margin and 0 or self.margin - distance
      return self.output
   end

   function L1HingeEmbeddingCriterion:updateGradInput(input, target)
      pair.ensure_gradients(self, input)
      local d, sign = parts(self, input, target)
      local a, b = self.gradInput[1]:resizeAs(input[1]), self.gradInput[2]:resizeAs(input[2])
      -- As in the original, signs of NaN are drawn, too.
      local slope = pair.random_signs(d:clone():maskedFill(d:ne(d), 0))
      if sign == -1 and torch.abs(d):sum() > self.margin then
         a:zero()
         b:zero()
         return self.gradInput
      end
      a:copy(slope):mul(sign)
      b:copy(slope):mul(-sign)
      return self.gradInput
   end

   function L1HingeEmbeddingCriterion:type(name, cache)
      if not name then return self._type end
      return parent.type(self, name, cache)
   end
end

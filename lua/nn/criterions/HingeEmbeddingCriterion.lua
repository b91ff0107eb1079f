-- nn.HingeEmbeddingCriterion: for distances: they are to be small for target 1, and larger than a margin for -1.

local torch = require 'torch'
local expect, signs_of = require 'nn.expect', require 'nn.criterions.signs_of'

return function(HingeEmbeddingCriterion)

   function HingeEmbeddingCriterion:__init()
      self.sizeAverage = true
   end

   local function parts(self, input, target)
      if type(input) == 'number' then input = torch.Tensor { input }:type(self._type) end
      expect.tensor(self, input)
      local n = input:nElement()
      if n == 0 then expect.fail(self, 'input must have at least one distance (got none)') end
      return input:contiguous():view(-1), signs_of(self, target, n, input), n, input
   end

   function HingeEmbeddingCriterion:updateOutput(input, target)
      local x, signs, n = parts(self, input, target)
      local near = signs:eq(1)
      local loss = torch.mul(x, -1):add(self.margin):cmax(0)
      if near:sum() > 0 then loss:maskedCopy(near, x:maskedSelect(near)) end
      local sum = loss:sum()
      self.output = self.sizeAverage and sum / n or sum
      return self.output
   end

   function HingeEmbeddingCriterion:updateGradInput(input, target)
      local x, signs, n, like = parts(self, input, target)
      local gradient = self.gradInput:resizeAs(x):copy(signs)
      -- Distances beyond the margin have no gradient.
      gradient:maskedFill(signs:eq(-1):cmul(x:ge(self.margin)), 0)
      if self.sizeAverage then gradient:div(n) end
      gradient:resizeAs(like)
      return gradient
   end
end

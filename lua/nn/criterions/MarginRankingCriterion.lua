-- nn.MarginRankingCriterion: the first of two values is to be larger by a margin for target 1, smaller for -1.

local torch, pair = require 'torch', require 'nn.tables.pair'
local expect, signs_of = require 'nn.checks.expect', require 'nn.criterions.signs_of'

return function(MarginRankingCriterion)

   function MarginRankingCriterion:__init()
      self.sizeAverage = true
      self.gradInput = { torch.Tensor(), torch.Tensor() }
   end

   local function parts(self, input, target)
      expect.parts(self, input)
      local a, b = expect.tensor(self, input[1], 'input[1]'), expect.tensor(self, input[2], 'input[2]')
      -- As in the original, a number is the target of the first elements alone.
      if type(target) == 'number' and a:dim() == 1 and b:dim() == 1 then a, b = a:narrow(1, 1, 1), b:narrow(1, 1, 1) end
      expect.same_count(self, a, b, 'input[2]')
      local n = a:nElement()
      local signs = signs_of(self, target, n, a)
      local difference = torch.add(a:contiguous():view(-1), -1, b:contiguous():view(-1))
      -- As in the original, the rows of a matrix count, not its elements.
      local samples = type(target) == 'number' and n or target:size(1)
      return signs, torch.cmul(difference, signs):mul(-1):add(self.margin), samples, a, b
   end

   function MarginRankingCriterion:updateOutput(input, target)
      local _, loss, samples = parts(self, input, target)
      -- Of a pair with a number as its target, the original takes NaN for a loss.
      local sum = type(target) == 'number' and loss:maskedFill(loss:lt(0), 0):sum() or loss:cmax(0):sum()
      self.output = self.sizeAverage and sum / samples or sum
      return self.output
   end

   function MarginRankingCriterion:updateGradInput(input, target)
      pair.ensure_gradients(self, input)
      local signs, loss, samples, a, b = parts(self, input, target)
      local mask = (type(target) == 'number' and torch.lt(loss, 0):eq(0) or torch.ge(loss, 0)):type(signs:type())
      if self.sizeAverage then mask:div(samples) end
      self.gradInput[1]:resizeAs(mask):cmul(mask, torch.mul(signs, -1)):resizeAs(a)
      self.gradInput[2]:resizeAs(mask):cmul(mask, signs):resizeAs(b)
      return self.gradInput
   end
end

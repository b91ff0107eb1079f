-- nn.DistanceRatioCriterion: of {distances of the same, distances of others}: -log(exp(-s) / (exp(-s) + exp(-d))).

local torch, pair = require 'torch', require 'nn.tables.pair'
local expect = require 'nn.checks.expect'

return function(DistanceRatioCriterion)

   function DistanceRatioCriterion:__init()
      self.gradInput = { torch.Tensor(), torch.Tensor() }
   end

   -- s - d, and the number of samples.
   local function difference(self, input)
      expect.table(self, input)
      local s, d = expect.tensor(self, input[1], 'input[1]'), expect.tensor(self, input[2], 'input[2]')
      expect.same_count(self, s, d, 'input[2]')
      return torch.add(s, -1, d), s:dim() > 0 and s:size(1) or 0
   end

   function DistanceRatioCriterion:updateOutput(input)
      local m, n = difference(self, input)
      -- log(1 + exp(m)) without overflow.
      local sum = torch.cmax(m, 0):sum() + torch.abs(m):mul(-1):exp():log1p():sum()
      self.output = self.sizeAverage and sum / n or sum
      return self.output
   end

   function DistanceRatioCriterion:updateGradInput(input)
      pair.open(self, input)
      local m, n = difference(self, input)
      local slope = torch.sigmoid(m)
      if self.sizeAverage then slope:div(n) end
      self.gradInput[1]:resizeAs(input[1]):copy(slope)
      self.gradInput[2]:resizeAs(input[2]):copy(slope):mul(-1)
      return self.gradInput
   end
end

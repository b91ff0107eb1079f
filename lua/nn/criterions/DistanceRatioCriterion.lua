-- nn.DistanceRatioCriterion: of {distances of the same, distances of others}: -log(exp(-s) / (exp(-s) + exp(-d))).
-- As in the original, its results are not in the fields output and gradInput: the gradients are dX and dY.

local torch = require 'torch'
local expect = require 'nn.checks.expect'

return function(DistanceRatioCriterion, parent)

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
      return self.sizeAverage and sum / n or sum
   end

   function DistanceRatioCriterion:updateGradInput(input)
      local m, n = difference(self, input)
      local slope = torch.sigmoid(m)
      if self.sizeAverage then slope:div(n) end
      self.dX, self.dY = self.dX or slope.new(), self.dY or slope.new()
      self.dX:resizeAs(input[1]):copy(slope)
      self.dY:resizeAs(input[2]):copy(slope):mul(-1)
      return { self.dX, self.dY }
   end

   function DistanceRatioCriterion:type(name, cache)
      self.dX, self.dY = nil, nil
      return parent.type(self, name, cache)
   end
end

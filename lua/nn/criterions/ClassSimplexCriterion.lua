-- nn.ClassSimplexCriterion: MSECriterion towards the corners of a regular simplex, one for each class.

local torch = require 'torch'
local expect = require 'nn.checks.expect'

return function(ClassSimplexCriterion, parent)

   -- n + 1 unit vectors in n dimensions with equal angles between them.
   local function regular_simplex(n)
      local a = torch.zeros(n + 1, n)
      for k = 1, n do
         -- The remainder of length 1, and the coordinate that makes all dot products -1/n.
         local rest = 1
         for j = 1, k - 1 do rest = rest - a[k][j] ^ 2 end
         local length = math.sqrt(rest)
         a[k][k] = length
         local c = (length * length - 1 - 1 / n) / length
         for i = k + 1, n + 1 do a[i][k] = c end
      end
      return a
   end

   function ClassSimplexCriterion:__init(nClasses)
      parent.__init(self)
      if type(nClasses) ~= 'number' or not (nClasses >= 2 and nClasses < 1 / 0) then
         expect.argument_error(self, 'nClasses', 'at least 2', nClasses)
      end
      self.nClasses = nClasses
      -- A column of zeros extends the vectors to the number of classes.
      self.simplex = torch.cat(regular_simplex(nClasses - 1), torch.zeros(nClasses, 1), 2)
      self._target = torch.Tensor(nClasses)
   end

   local function corners(self, input, target)
      expect.tensor(self, input)
      local index
      if type(target) == 'number' then
         index = torch.LongTensor { target }
      else
         index = expect.tensor(self, target, 'target'):long():contiguous():view(-1)
      end
      local wrong = index:min() < 1 and index:min() or index:max() > self.nClasses and index:max()
      if wrong then expect.fail(self, 'target must be from 1 to %d (got %.0f)', self.nClasses, wrong) end
      self._target = self.simplex:type(input:type()):index(1, index)
      if input:dim() == 1 then self._target = self._target:view(-1) end
      if not self._target:isSameSizeAs(input) then
         expect.fail(self, 'input must be of size %s (got %s)', expect.shape(self._target), expect.describe(input))
      end
      return self._target
   end

   function ClassSimplexCriterion:updateOutput(input, target)
      return parent.updateOutput(self, input, corners(self, input, target))
   end

   function ClassSimplexCriterion:updateGradInput(input, target)
      return parent.updateGradInput(self, input, corners(self, input, target))
   end

   -- The dot products with all corners.
   function ClassSimplexCriterion:getPredictions(input)
      expect.tensor(self, input)
      if input:dim() == 1 then input = input:view(1, -1) end
      return torch.mm(input, self.simplex:type(input:type()):t())
   end

   function ClassSimplexCriterion:getTopPrediction(input)
      local _, top = torch.max(self:getPredictions(input), 2)
      return top:view(-1)
   end
end

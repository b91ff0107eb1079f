-- nn.MultiMarginCriterion: a hinge loss of several classes: how far other classes come near the target's value.

local type = type
local torch = require 'torch'
local check = require 'nn.check'

return function(MultiMarginCriterion, parent)

   function MultiMarginCriterion:__init(p, weights, margin)
      parent.__init(self)
      if p and p ~= 1 and p ~= 2 then check.fail(self, 'power of 1 or 2 expected (got %s)', check.describe(p)) end
      self.p, self.margin = p or 1, margin or 1
      self.sizeAverage = true
      if weights then
         if not torch.isTensor(weights) or weights:dim() ~= 1 then
            check.fail(self, 'weights in a vector expected (got %s)', check.describe(weights))
         end
         self.weights = weights
      end
   end

   -- The input as a matrix, the targets as a LongTensor, the margins that are not kept, and the weights of the samples.
   local function parts(self, input, target)
      check.tensor(self, input)
      if input:dim() ~= 1 and input:dim() ~= 2 then
         check.fail(self, 'vector or matrix expected (got %s)', check.describe(input))
      end
      local classes = input:size(input:dim())
      local count = input:nElement() / classes
      local x = input:contiguous():view(count, classes)
      local t = type(target) == 'number' and torch.LongTensor { target } or check.tensor(self, target, 'target'):long()
      if t:nElement() ~= count then
         check.fail(self, 'target with %d classes expected (got %s)', count, check.describe(target))
      end
      t = t:contiguous():view(count, 1)
      if t:min() < 1 or t:max() > classes then
         check.fail(self, 'target of 1 to %d expected (got %.0f)', classes, t:min() < 1 and t:min() or t:max())
      end
      if self.weights and self.weights:nElement() ~= classes then
         check.fail(self, '%d weights expected (got %s)', classes, check.describe(self.weights))
      end
      -- margin - x[t] + x[j], only where it is positive and j is not t.
      local excess = torch.add(x, -1, x:gather(2, t):expandAs(x)):add(self.margin):cmax(0)
      excess:scatter(2, t, 0)
      local weights = self.weights and self.weights:type(input:type()):index(1, t:view(-1)):view(count, 1)
      return x, t, excess, weights, count, classes
   end

   function MultiMarginCriterion:updateOutput(input, target)
      local _, _, excess, weights, count, classes = parts(self, input, target)
      if self.p == 2 then excess:cmul(excess) end
      if weights then excess:cmul(weights:expandAs(excess)) end
      local sum = excess:sum() / classes
      self.output = self.sizeAverage and sum / count or sum
      return self.output
   end

   function MultiMarginCriterion:updateGradInput(input, target)
      local x, t, excess, weights, count, classes = parts(self, input, target)
      local scale = (self.sizeAverage and 1 / count or 1) / classes
      local gradient = self.gradInput:resizeAs(x)
      if self.p == 2 then
         gradient:mul(excess, 2 * scale)
      else
         gradient:copy(excess:gt(0)):mul(scale)
      end
      if weights then gradient:cmul(weights:expandAs(gradient)) end
      gradient:scatter(2, t, gradient:sum(2):mul(-1))
      gradient:resizeAs(input)
      return gradient
   end
end

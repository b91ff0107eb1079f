-- nn.HingeEmbeddingCriterion: for distances: they are to be small for target 1, and larger than a margin for -1.

local torch = require 'torch'
local expect, signs_of = require 'nn.checks.expect', require 'nn.criterions.signs_of'
local kernel, lazy_table = require 'nn.kernels.kernel', require 'torch.jit.lazy_table'
local operation = require('torch.dispatch.install').operation

-- x is the distance, y the sign, v the margin, and u the size of the gradient, which is 0 beyond the margin.
local LOSS = 'a = v - x; z = where(y == 1, x, where(a > 0, a, 0))'
local totals = lazy_table(function(k) return k.total(LOSS) end)
local losses = operation { 'HingeEmbeddingCriterion', { 'r t t n', 'elementwise.map', { LOSS } } }
local slopes = operation { 'HingeEmbeddingCriterion', { 'r t t n n', 'elementwise.map',
   { 'a = y * u; z = where(y == 1, a, where(x > v, 0, a))' } } }

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
      local k = kernel.of_type(x)
      local sum
      if k and not k.T.base then
         sum = totals[k](k.ptr(x), k.ptr(signs), nil, n, self.margin)
         k.keep_alive(x, signs)
      else
         sum = losses(x.new(), x, signs, self.margin):sum()
      end
      self.output = self.sizeAverage and sum / n or sum
      return self.output
   end

   function HingeEmbeddingCriterion:updateGradInput(input, target)
      local x, signs, n, like = parts(self, input, target)
      local gradient = slopes(self.gradInput, x, signs, self.margin, self.sizeAverage and 1 / n or 1)
      gradient:resizeAs(like)
      return gradient
   end
end

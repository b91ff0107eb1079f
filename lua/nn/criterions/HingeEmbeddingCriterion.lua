-- nn.HingeEmbeddingCriterion: for distances: they are to be small for target 1, and larger than a margin for -1.

local torch = require 'torch'
local expect, kernel, signs_of = require 'nn.expect', require 'nn.kernel', require 'nn.criterions.signs_of'

return function(HingeEmbeddingCriterion)

   function HingeEmbeddingCriterion:__init()
      self.sizeAverage = true
   end

   local programs = {}
   local function of(k)
      programs[k] = programs[k] or {
         loss = k.total 'a = subtract v x; a = maximum a 0; q = equal y 1; z = select q x a',
         -- Nothing for distances beyond the margin.
         gradient = k.map 'q = less x v; a = select q y 0; q = equal y 1; a = select q y a; z = multiply a u' }
      return programs[k]
   end

   local function parts(self, input, target)
      if type(input) == 'number' then input = torch.Tensor { input }:type(self._type) end
      expect.tensor(self, input)
      local k, n = kernel.of(self, input), input:nElement()
      if n == 0 then expect.fail(self, 'input must have at least one distance (got none)') end
      return k, k.plain(input), signs_of(self, k, target, n, input), n, input
   end

   function HingeEmbeddingCriterion:updateOutput(input, target)
      local k, x, signs, n = parts(self, input, target)
      local sum = of(k).loss(k.ptr(x), k.ptr(signs), nil, n, self.margin)
      k.alive(x, signs)
      self.output = self.sizeAverage and sum / n or sum
      return self.output
   end

   function HingeEmbeddingCriterion:updateGradInput(input, target)
      local k, x, signs, n, like = parts(self, input, target)
      local r = k.like(self.gradInput, like)
      of(k).gradient(k.ptr(x), k.ptr(signs), nil, k.ptr(r), n, self.margin, self.sizeAverage and 1 / n or 1)
      k.alive(x, signs, r)
      return r
   end
end

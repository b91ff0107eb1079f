-- nn.CosineEmbeddingCriterion: the angle between two vectors, which is to be small for target 1 and large for -1.

local torch = require 'torch'
local pair, signs_of = require 'nn.tables.pair', require 'nn.criterions.signs_of'

return function(CosineEmbeddingCriterion)

   function CosineEmbeddingCriterion:__init()
      self.sizeAverage = true
      self.gradInput = { torch.Tensor(), torch.Tensor() }
   end

   local function parts(self, input, target)
      local a, b, batch = pair.read(self, input)
      local signs = signs_of(self, target, batch, a)
      local dot, aa, bb, w = pair.cosine(a, b)
      return a, b, batch, signs, dot, aa, bb, w, torch.cmul(dot, w):view(batch)
   end

   function CosineEmbeddingCriterion:updateOutput(input, target)
      local _, _, batch, signs, _, _, _, _, cosine = parts(self, input, target)
      local loss = torch.add(cosine, -self.margin):cmax(0)
      local near = signs:eq(1)
      if near:sum() > 0 then loss:maskedCopy(near, torch.mul(cosine, -1):add(1):maskedSelect(near)) end
      local sum = loss:sum()
      self.output = self.sizeAverage and sum / batch or sum
      return self.output
   end

   function CosineEmbeddingCriterion:updateGradInput(input, target)
      pair.open(self, input)
      local a, b, batch, signs, dot, aa, bb, w, cosine = parts(self, input, target)
      -- -1 for near pairs, 1 for far ones whose cosine is above the margin.
      local slope = torch.mul(signs, -1)
      slope:maskedFill(signs:eq(-1):cmul(cosine:le(self.margin)), 0)
      if self.sizeAverage then slope:div(batch) end
      slope = torch.cmul(slope:view(batch, 1), w)
      return pair.cosine_gradients(self.gradInput, input, a, b, dot, aa, bb, slope)
   end
end

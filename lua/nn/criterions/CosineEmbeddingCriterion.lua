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
      local cosine = torch.cmul(dot, w):view(batch)
      local loss, near = torch.add(cosine, -self.margin):cmax(0), signs:eq(1)
      if near:sum() > 0 then loss:maskedCopy(near, cosine:mul(-1):add(1):maskedSelect(near)) end
      return a, b, batch, signs, dot, aa, bb, w, loss
   end

   function CosineEmbeddingCriterion:updateOutput(input, target)
      local _, _, batch, _, _, _, _, _, loss = parts(self, input, target)
      local sum = loss:sum()
      self.output = self.sizeAverage and sum / batch or sum
      return self.output
   end

   function CosineEmbeddingCriterion:updateGradInput(input, target)
      pair.ensure_gradients(self, input)
      local a, b, batch, signs, dot, aa, bb, w, loss = parts(self, input, target)
      -- -1 for near pairs, 1 for far ones; nothing, not even NaN, where there is no loss.
      local slope = torch.mul(signs, -1)
      if self.sizeAverage then slope:div(batch) end
      slope = torch.cmul(slope:view(batch, 1), w)
      pair.cosine_gradients(self.gradInput, input, a, b, dot, aa, bb, slope)
      local none = loss:le(0):view(batch, 1):expandAs(a):contiguous()
      for i = 1, 2 do self.gradInput[i]:maskedFill(none:viewAs(self.gradInput[i]), 0) end
      return self.gradInput
   end
end

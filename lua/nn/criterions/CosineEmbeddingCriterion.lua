-- nn.CosineEmbeddingCriterion: the angle between two vectors, which is to be small for target 1 and large for -1.

local torch = require 'torch'
local pair, signs_of = require 'nn.tables.pair', require 'nn.criterions.signs_of'

return function(CosineEmbeddingCriterion)

   local TINY = 1e-12

   function CosineEmbeddingCriterion:__init()
      self.sizeAverage = true
      self.gradInput = { torch.Tensor(), torch.Tensor() }
   end

   local function parts(self, input, target)
      local a, b, batch = pair(self, input)
      local signs = signs_of(self, target, batch, a)
      local dot = torch.cmul(a, b):sum(2)
      local aa, bb = torch.cmul(a, a):sum(2):add(TINY):pow(-1), torch.cmul(b, b):sum(2):add(TINY):pow(-1)
      local w = torch.cmul(aa, bb):sqrt()
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
      local a, b, batch, signs, dot, aa, bb, w, cosine = parts(self, input, target)
      -- -1 for near pairs, 1 for far ones whose cosine is above the margin.
      local slope = torch.mul(signs, -1)
      slope:maskedFill(signs:eq(-1):cmul(cosine:le(self.margin)), 0)
      if self.sizeAverage then slope:div(batch) end
      slope = torch.cmul(slope:view(batch, 1), w)
      local function gradient(to, x, y, xx, like)
         to:resizeAs(x):copy(y):add(-1, torch.cmul(x, torch.cmul(dot, xx):expandAs(x)))
         to:cmul(slope:expandAs(x))
         to:resizeAs(like)
      end
      gradient(self.gradInput[1], a, b, aa, input[1])
      gradient(self.gradInput[2], b, a, bb, input[2])
      return self.gradInput
   end
end

-- nn.CosineDistance: the cosine of the angle between two vectors, or between each pair of rows.

local torch = require 'torch'
local pair = require 'nn.tables.pair'

return function(CosineDistance, parent)

   function CosineDistance:__init()
      parent.__init(self)
      self.gradInput = { torch.Tensor(), torch.Tensor() }
   end

   function CosineDistance:updateOutput(input)
      local a, b, batch = pair.read_any(self, input)
      local dot, _, _, w = pair.cosine(a, b)
      self.output:resizeAs(dot):cmul(dot, w)
      self.output:resize(batch)
      return self.output
   end

   function CosineDistance:updateGradInput(input, gradOutput)
      pair.ensure_gradients(self, input)
      local a, b, batch = pair.read(self, input)
      local g = pair.column(self, gradOutput, batch)
      local dot, aa, bb, w = pair.cosine(a, b)
      return pair.cosine_gradients(self.gradInput, input, a, b, dot, aa, bb, torch.cmul(w, g))
   end

   CosineDistance.clearState = pair.clear()
end

-- nn.CosineDistance: the cosine of the angle between two vectors, or between each pair of rows.

local torch = require 'torch'
local expect, pair = require 'nn.expect', require 'nn.tables.pair'

return function(CosineDistance, parent)

   local TINY = 1e-12

   function CosineDistance:__init()
      parent.__init(self)
      self.gradInput = { torch.Tensor(), torch.Tensor() }
   end

   -- The dot products, and one over the squared and the plain lengths.
   local function measures(a, b)
      local dot = torch.cmul(a, b):sum(2)
      local aa = torch.cmul(a, a):sum(2):add(TINY):pow(-1)
      local bb = torch.cmul(b, b):sum(2):add(TINY):pow(-1)
      return dot, aa, bb, torch.cmul(aa, bb):sqrt()
   end

   function CosineDistance:updateOutput(input)
      local a, b, batch = pair(self, input)
      local dot, _, _, w = measures(a, b)
      self.output:resizeAs(dot):cmul(dot, w)
      self.output:resize(batch)
      return self.output
   end

   function CosineDistance:updateGradInput(input, gradOutput)
      local a, b, batch = pair(self, input)
      if not torch.isTensor(gradOutput) or gradOutput:nElement() ~= batch then
         expect.fail(self, 'gradOutput must have %d elements (got %s)', batch, expect.describe(gradOutput))
      end
      local dot, aa, bb, w = measures(a, b)
      local g = gradOutput:contiguous():view(batch, 1)
      local function gradient(to, x, y, xx, like)
         local along = torch.cmul(dot, xx)
         to:resizeAs(x):copy(y):add(-1, torch.cmul(x, along:expandAs(x)))
         to:cmul(torch.cmul(w, g):expandAs(x))
         to:resizeAs(like)
      end
      gradient(self.gradInput[1], a, b, aa, input[1])
      gradient(self.gradInput[2], b, a, bb, input[2])
      return self.gradInput
   end

   function CosineDistance:clearState()
      self.output:set()
      self.gradInput[1]:set()
      self.gradInput[2]:set()
      return self
   end
end

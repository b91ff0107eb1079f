-- nn.DotProduct: the dot product of two vectors, or of each pair of rows.

local torch = require 'torch'
local expect, pair = require 'nn.expect', require 'nn.tables.pair'

return function(DotProduct, parent)

   function DotProduct:__init()
      parent.__init(self)
      self.gradInput = { torch.Tensor(), torch.Tensor() }
   end

   function DotProduct:updateOutput(input)
      local a, b, batch = pair(self, input)
      self.buffer = self.buffer or a.new()
      self.buffer:resizeAs(a):cmul(a, b)
      self.output:sum(self.buffer, 2)
      self.output:resize(batch)
      return self.output
   end

   function DotProduct:updateGradInput(input, gradOutput)
      local a, b, batch = pair(self, input)
      if not torch.isTensor(gradOutput) or gradOutput:nElement() ~= batch then
         expect.fail(self, 'gradOutput must have %d elements (got %s)', batch, expect.describe(gradOutput))
      end
      local g = gradOutput:contiguous():view(batch, 1):expandAs(a)
      self.gradInput[1]:resizeAs(a):cmul(b, g)
      self.gradInput[2]:resizeAs(a):cmul(a, g)
      self.gradInput[1]:resizeAs(input[1])
      self.gradInput[2]:resizeAs(input[2])
      return self.gradInput
   end

   function DotProduct:clearState()
      if self.buffer then self.buffer:set() end
      self.output:set()
      self.gradInput[1]:set()
      self.gradInput[2]:set()
      return self
   end
end

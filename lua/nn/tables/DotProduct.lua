-- nn.DotProduct: the dot product of two vectors, or of each pair of rows.

local torch = require 'torch'
local pair = require 'nn.tables.pair'

return function(DotProduct, parent)

   function DotProduct:__init()
      parent.__init(self)
      self.gradInput = { torch.Tensor(), torch.Tensor() }
   end

   function DotProduct:updateOutput(input)
      local a, b, batch = pair.read_any(self, input)
      self.buffer = self.buffer or a.new()
      self.buffer:resizeAs(a):cmul(a, b)
      self.output:sum(self.buffer, 2)
      self.output:resize(batch)
      return self.output
   end

   function DotProduct:updateGradInput(input, gradOutput)
      pair.ensure_gradients(self, input)
      local a, b, batch = pair.read(self, input)
      local g = pair.column(self, gradOutput, batch):expandAs(a)
      self.gradInput[1]:resizeAs(a):cmul(b, g)
      self.gradInput[2]:resizeAs(a):cmul(a, g)
      self.gradInput[1]:resizeAs(input[1])
      self.gradInput[2]:resizeAs(input[2])
      return self.gradInput
   end

   DotProduct.clearState = pair.clear 'buffer'
end

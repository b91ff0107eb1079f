-- nn.Collapse: joins the last nInputDims dimensions into one; those before them are the batch.

local torch = require 'torch'
local dimension, expect = require 'nn.simple.dimension', require 'nn.checks.expect'

return function(Collapse)

   -- This library's first versions had another name.
   function Collapse:upgrade() self.nInputDim = self.nInputDim or self.nInputDims end

   function Collapse:updateOutput(input)
      expect.own(self, input)
      local dims, last = input:dim(), self.nInputDim
      if dims < last then
         expect.fail(self, 'input must have at least %d dimensions (got %s)', last, expect.describe(input))
      end
      local sizes, count = torch.LongStorage(dims - last + 1), 1
      for d = 1, dims - last do sizes[d] = input:size(d) end
      for d = dims - last + 1, dims do count = count * input:size(d) end
      sizes[dims - last + 1] = count
      self.output:view(input:contiguous(), sizes)
      return self.output
   end

   Collapse.updateGradInput = dimension.view_back
end

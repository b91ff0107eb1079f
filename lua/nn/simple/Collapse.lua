-- nn.Collapse: joins all dimensions into one, except the first of an input of more than nInputDim: that is the batch.

local dimension, expect = require 'nn.simple.dimension', require 'nn.checks.expect'

return function(Collapse)

   -- This library's first versions had another name.
   function Collapse:upgrade() self.nInputDim = self.nInputDim or self.nInputDims end

   function Collapse:updateOutput(input)
      expect.own(self, input)
      local x, count = input:contiguous(), input:nElement()
      if count == 0 then expect.fail(self, 'input must have elements (got %s)', expect.describe(input)) end
      if input:dim() > self.nInputDim then
         self.output:view(x, input:size(1), count / input:size(1))
      else
         self.output:view(x, count)
      end
      return self.output
   end

   Collapse.updateGradInput = dimension.view_back
end

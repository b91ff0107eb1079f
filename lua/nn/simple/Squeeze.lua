-- nn.Squeeze: leaves out dimensions of size 1: one, or all.

local torch = require 'torch'
local dimension, expect = require 'nn.simple.dimension', require 'nn.checks.expect'

return function(Squeeze, _, nn)

   Squeeze.setNumInputDims = dimension.set_num_input_dims

   function Squeeze:updateOutput(input)
      expect.own(self, input)
      local dim = self.dim
      local is_batch = self.numInputDims and input:dim() == self.numInputDims + 1
      if dim and is_batch then dim = dim + 1 end
      if dim and (dim < 1 or dim > input:dim()) then
         expect.fail(self, 'input must have a dimension %d (got %s)', dim, expect.describe(input))
      end
      local view
      if dim then view = input:squeeze(dim) else view = input:squeeze() end
      -- One element alone is a number to squeeze.
      if not torch.isTensor(view) then
         view = input:contiguous():view(1)
      elseif is_batch and not dim and input:size(1) == 1 then
         -- The dimension of a batch of one sample stays.
         view = nn.utils.addSingletonDimension(view.new(), view, 1)
      end
      self.output:set(view)
      return self.output
   end

   Squeeze.updateGradInput = dimension.view_back
end

-- nn.Unsqueeze: one more dimension, of size 1.

local torch = require 'torch'
local dimension, expect = require 'nn.simple.dimension', require 'nn.checks.expect'

return function(Unsqueeze, _, nn)

   Unsqueeze.setNumInputDims = dimension.set_num_input_dims

   function Unsqueeze:_getActualPosition(input)
      local dims = expect.own(self, input):dim()
      -- As in the original, the first input says how many dimensions one sample has.
      self.numInputDims = self.numInputDims or dims
      local before = dims - self.numInputDims
      if before < 0 then
         expect.fail(self, 'input must have at least %d dimensions, as numInputDims (got %s)', self.numInputDims,
            expect.describe(input))
      end
      local pos = before + self.pos
      if pos < 1 or pos > dims + 1 then
         expect.fail(self, 'input must have at least %d dimensions (got %s)', self.pos - 1, expect.describe(input))
      end
      return pos
   end

   function Unsqueeze:updateOutput(input)
      nn.utils.addSingletonDimension(self.output, input, self:_getActualPosition(input))
      return self.output
   end

   Unsqueeze.updateGradInput = dimension.view_back

   function Unsqueeze:__tostring__()
      return string.format('%s(dim %d)', torch.type(self), self.pos)
   end
end

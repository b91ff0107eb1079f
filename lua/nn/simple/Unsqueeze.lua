-- nn.Unsqueeze: one more dimension, of size 1.

local torch = require 'torch'
local dimension, expect = require 'nn.simple.dimension', require 'nn.expect'

return function(Unsqueeze, parent, nn)

   function Unsqueeze:__init(pos, numInputDims)
      parent.__init(self)
      if not pos then expect.fail(self, 'pos must be a number (got nil)') end
      self.pos = pos
      self:setNumInputDims(numInputDims)
   end

   Unsqueeze.setNumInputDims = dimension.set_num_input_dims

   function Unsqueeze:_getActualPosition(input)
      local dims = expect.own(self, input):dim()
      local before = dims - (self.numInputDims or dims)
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
      return ('%s(dim %d)'):format(torch.type(self), self.pos)
   end
end

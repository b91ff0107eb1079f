-- nn.Unsqueeze: one more dimension, of size 1.

local torch = require 'torch'
local check = require 'nn.check'

return function(Unsqueeze, parent, nn)

   function Unsqueeze:__init(pos, numInputDims)
      parent.__init(self)
      if not pos then check.fail(self, 'position of the dimension expected (got nil)') end
      self.pos = pos
      self:setNumInputDims(numInputDims)
   end

   function Unsqueeze:setNumInputDims(numInputDims)
      self.numInputDims = numInputDims
      return self
   end

   function Unsqueeze:_getActualPosition(input)
      local dims = check.own(self, input):dim()
      local before = dims - (self.numInputDims or dims)
      local pos = before + self.pos
      if pos < 1 or pos > dims + 1 then
         check.fail(self, 'input of at least %d dimensions expected (got %s)', self.pos - 1, check.describe(input))
      end
      return pos
   end

   function Unsqueeze:updateOutput(input)
      nn.utils.addSingletonDimension(self.output, input, self:_getActualPosition(input))
      return self.output
   end

   function Unsqueeze:updateGradInput(input, gradOutput)
      check.same_count(self, check.own(self, input), check.own(self, gradOutput, 'gradOutput'))
      self.gradInput:view(gradOutput:contiguous(), input:size())
      return self.gradInput
   end

   function Unsqueeze:__tostring__()
      return ('%s(dim %d)'):format(torch.type(self), self.pos)
   end
end

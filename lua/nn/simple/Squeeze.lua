-- nn.Squeeze: leaves out dimensions of size 1: one, or all.

local torch = require 'torch'
local expect = require 'nn.expect'

return function(Squeeze, parent)

   function Squeeze:__init(dim, numInputDims)
      parent.__init(self)
      self.dim = dim
      self:setNumInputDims(numInputDims)
   end

   function Squeeze:setNumInputDims(numInputDims)
      self.numInputDims = numInputDims
      return self
   end

   function Squeeze:updateOutput(input)
      expect.own(self, input)
      local dim = self.dim
      if dim and self.numInputDims and input:dim() == self.numInputDims + 1 then dim = dim + 1 end
      if dim and (dim < 1 or dim > input:dim()) then
         expect.fail(self, 'input must have a dimension %d (got %s)', dim, expect.describe(input))
      end
      local view
      if dim then view = input:squeeze(dim) else view = input:squeeze() end
      -- One element alone is a number to squeeze.
      if not torch.isTensor(view) then view = input:contiguous():view(1) end
      self.output:set(view)
      return self.output
   end

   function Squeeze:updateGradInput(input, gradOutput)
      expect.same_count(self, expect.own(self, input), expect.own(self, gradOutput, 'gradOutput'))
      self.gradInput:set(gradOutput:contiguous():view(input:size()))
      return self.gradInput
   end
end

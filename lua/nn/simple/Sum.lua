-- nn.Sum: the sum along a dimension, or the mean.

local torch = require 'torch'
local expect = require 'nn.checks.expect'
local positive = require('nn.simple.dimension').positive

return function(Sum)

   function Sum:_getPositiveDimension(input)
      return positive(self, expect.own(self, input), self.dimension, self.nInputDims)
   end

   function Sum:updateOutput(input)
      local dimension = self:_getPositiveDimension(input)
      -- Very old files have a number here.
      if not torch.isTensor(self.output) then self.output = input.new() end
      self.output:sum(input, dimension)
      if self.sizeAverage then self.output:div(input:size(dimension)) end
      if self.squeeze ~= false and self.output:dim() > 1 then self.output:set(self.output:select(dimension, 1)) end
      return self.output
   end

   function Sum:updateGradInput(input, gradOutput)
      local dimension = self:_getPositiveDimension(input)
      expect.own(self, gradOutput, 'gradOutput')
      local sizes = input:size()
      sizes[dimension] = 1
      if gradOutput:nElement() * input:size(dimension) ~= input:nElement() then
         expect.fail(self, 'gradOutput must have the sizes of the output (got %s)', expect.describe(gradOutput))
      end
      local wide = gradOutput:contiguous():view(sizes):expandAs(input)
      self.gradInput:resizeAs(input)
      if self.sizeAverage then return self.gradInput:div(wide, input:size(dimension)) end
      return self.gradInput:copy(wide)
   end
end

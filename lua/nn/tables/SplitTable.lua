-- nn.SplitTable: the slices of a dimension as a table; those of a vector are numbers, as in the original.

local expect = require 'nn.checks.expect'
local positive = require('nn.simple.dimension').positive

return function(SplitTable)

   function SplitTable:_getPositiveDimension(input)
      return positive(self, input, self.dimension, self.nInputDims)
   end

   function SplitTable:updateOutput(input)
      local dimension = self:_getPositiveDimension(input)
      local output = {}
      for i = 1, input:size(dimension) do output[i] = input:select(dimension, i) end
      self.output = output
      return output
   end

   function SplitTable:updateGradInput(input, gradOutput)
      local dimension = self:_getPositiveDimension(input)
      if self.gradInput == nil then return nil end
      expect.table(self, gradOutput, 'gradOutput')
      self.gradInput:resizeAs(input)
      for i = 1, input:size(dimension) do
         local g, to = gradOutput[i], self.gradInput:narrow(dimension, i, 1)
         if g == nil then
            expect.fail(self, 'gradOutput must have %d tensors (got %s)', input:size(dimension),
               expect.describe(gradOutput))
         end
         if type(g) == 'number' then to:fill(g) else to:copy(g) end
      end
      return self.gradInput
   end
end

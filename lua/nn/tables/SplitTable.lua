-- nn.SplitTable: the slices of a dimension as a table.

local expect = require 'nn.checks.expect'
local positive = require('nn.simple.dimension').positive

return function(SplitTable)

   function SplitTable:_getPositiveDimension(input)
      return positive(self, input, self.dimension, self.nInputDims)
   end

   -- A slice; of a vector, with its dimension.
   local function slice(t, dimension, i)
      if t:dim() == 1 then return t:narrow(1, i, 1) end
      return t:select(dimension, i)
   end

   function SplitTable:updateOutput(input)
      local dimension = self:_getPositiveDimension(input)
      local output = {}
      for i = 1, input:size(dimension) do output[i] = slice(input, dimension, i) end
      self.output = output
      return output
   end

   function SplitTable:updateGradInput(input, gradOutput)
      local dimension = self:_getPositiveDimension(input)
      if self.gradInput == nil then return nil end
      expect.table(self, gradOutput, 'gradOutput')
      self.gradInput:resizeAs(input)
      for i = 1, input:size(dimension) do
         local to = slice(self.gradInput, dimension, i)
         local g = gradOutput[i]
         if g == nil then
            expect.fail(self, 'gradOutput must have %d tensors (got %s)', input:size(dimension),
               expect.describe(gradOutput))
         end
         to:copy(g)
      end
      return self.gradInput
   end
end

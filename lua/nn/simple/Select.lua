-- nn.Select: one slice of a dimension.

local expect = require 'nn.checks.expect'
local positive = require('nn.simple.dimension').positive

return function(Select)

   local function slice_of(self, input)
      local dimension = positive(self, expect.own(self, input), self.dimension)
      local index = self.index < 0 and input:size(dimension) + self.index + 1 or self.index
      if index < 1 or index > input:size(dimension) then
         expect.fail(self, 'input must have an index %d in dimension %d (got %s)', self.index, dimension,
            expect.describe(input))
      end
      return dimension, index
   end

   function Select:updateOutput(input)
      local dimension, index = slice_of(self, input)
      local view = input:dim() == 1 and input:narrow(1, index, 1) or input:select(dimension, index)
      self.output:resizeAs(view):copy(view)
      return self.output
   end

   function Select:updateGradInput(input, gradOutput)
      local dimension, index = slice_of(self, input)
      self.gradInput:resizeAs(input):zero()
      self.gradInput:narrow(dimension, index, 1):copy(expect.own(self, gradOutput, 'gradOutput'))
      return self.gradInput
   end
end

-- nn.Select: one slice of a dimension.

local check = require 'nn.check'
local positive = require('nn.simple.dimension').positive

return function(Select, parent)

   function Select:__init(dimension, index)
      parent.__init(self)
      self.dimension, self.index = dimension, index
   end

   local function place(self, input)
      local dimension = positive(self, check.own(self, input), self.dimension)
      local index = self.index < 0 and input:size(dimension) + self.index + 1 or self.index
      if index < 1 or index > input:size(dimension) then
         check.fail(self, 'input with an index %d in dimension %d expected (got %s)', self.index, dimension,
            check.describe(input))
      end
      return dimension, index
   end

   function Select:updateOutput(input)
      local dimension, index = place(self, input)
      local view = input:dim() == 1 and input:narrow(1, index, 1) or input:select(dimension, index)
      self.output:resizeAs(view):copy(view)
      return self.output
   end

   function Select:updateGradInput(input, gradOutput)
      local dimension, index = place(self, input)
      self.gradInput:resizeAs(input):zero()
      self.gradInput:narrow(dimension, index, 1):copy(check.own(self, gradOutput, 'gradOutput'))
      return self.gradInput
   end
end

-- nn.Narrow: a part of a dimension.

local expect = require 'nn.checks.expect'
local positive = require('nn.simple.dimension').positive

return function(Narrow, parent)

   -- A negative length counts from the end: -1 is all from offset on.
   function Narrow:__init(dimension, offset, length)
      parent.__init(self)
      self.dimension, self.index, self.length = dimension, offset, length or 1
   end

   local function part(self, input)
      local dimension = positive(self, input, self.dimension)
      local size, index, length = input:size(dimension), self.index, self.length
      if length < 0 then length = size - index + length + 2 end
      if index < 0 then index, length = 1, size - length end
      if index < 1 or length < 1 or index + length - 1 > size then
         expect.fail(self, 'input must have a size of at least %d in dimension %d (got %s)', index + length - 1,
            dimension, expect.describe(input))
      end
      return dimension, index, length
   end

   function Narrow:updateOutput(input)
      local dimension, index, length = part(self, input)
      local view = input:narrow(dimension, index, length)
      self.output = self.output:typeAs(input):resizeAs(view):copy(view)
      return self.output
   end

   function Narrow:updateGradInput(input, gradOutput)
      local dimension, index, length = part(self, input)
      self.gradInput = self.gradInput:typeAs(input):resizeAs(input):zero()
      self.gradInput:narrow(dimension, index, length):copy(expect.tensor(self, gradOutput, 'gradOutput'))
      return self.gradInput
   end
end

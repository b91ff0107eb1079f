-- nn.Transpose: swaps pairs of dimensions, one after the other: nn.Transpose({1, 2}, {2, 3}).

local dimension, expect = require 'nn.simple.dimension', require 'nn.checks.expect'

return function(Transpose, parent)

   function Transpose:__init(...)
      parent.__init(self)
      self.permutations = { ... }
      for i, pair in ipairs(self.permutations) do expect.table(self, pair, 'pair ' .. i .. ' of dimensions') end
      self.numInputDims = nil
   end

   Transpose.setNumInputDims = dimension.set_num_input_dims

   local function swapped(self, input, from, to, step)
      expect.own(self, input)
      local offset = self.numInputDims and input:dim() - self.numInputDims or 0
      for i = from, to, step do
         local a, b = self.permutations[i][1] + offset, self.permutations[i][2] + offset
         if a < 1 or b < 1 or a > input:dim() or b > input:dim() then
            expect.fail(self, 'input must have dimensions %d and %d (got %s)', a, b, expect.describe(input))
         end
         input = input:transpose(a, b)
      end
      return input
   end

   function Transpose:updateOutput(input)
      local view = swapped(self, input, 1, #self.permutations, 1)
      self.output:resizeAs(view):copy(view)
      return self.output
   end

   function Transpose:updateGradInput(_, gradOutput)
      local view = swapped(self, gradOutput, #self.permutations, 1, -1)
      self.gradInput:resizeAs(view):copy(view)
      return self.gradInput
   end
end

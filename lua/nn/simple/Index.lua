-- nn.Index: slices of a tensor by a list of indices: {tensor, LongTensor}.

local expect, pair = require 'nn.checks.expect', require 'nn.tables.pair'

return function(Index)

   function Index:__init()
      self.gradInput = { self.gradInput, self.gradInput.new() }
   end

   local function parts(self, input)
      expect.table(self, input)
      return expect.tensor(self, input[1], 'input[1]'), expect.tensor(self, input[2], 'input[2]'):long()
   end

   function Index:updateOutput(input)
      local t, index = parts(self, input)
      self.output:index(t, self.dimension, index)
      return self.output
   end

   function Index:updateGradInput(input, gradOutput)
      local t, index = parts(self, input)
      -- A program may have set another one.
      if type(self.gradInput) ~= 'table' then self.gradInput = { t.new(), t.new() } end
      self.gradInput[2]:resize(input[2]:size()):zero()
      local gradient = self.gradInput[1]
      gradient:resizeAs(t):zero()
      gradient:indexAdd(self.dimension, index, expect.tensor(self, gradOutput, 'gradOutput'))
      return self.gradInput
   end

   Index.clearState = pair.clear()
end

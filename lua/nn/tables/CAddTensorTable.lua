-- nn.CAddTensorTable: adds one tensor to each of a table: {tensor, {tensors}}.

local torch = require 'torch'
local expect = require 'nn.checks.expect'

return function(CAddTensorTable, parent)

   function CAddTensorTable:__init()
      parent.__init(self)
      self.gradInput = {}
   end

   function CAddTensorTable:updateOutput(input)
      expect.table(self, input)
      expect.table(self, input[2], 'the second part of the input')
      expect.tensor(self, input[1], 'the first part of the input')
      self.output = {}
      for i = 1, #input[2] do
         expect.same_count(self, input[1], expect.tensor(self, input[2][i], 'each tensor'), 'each tensor')
         self.output[i] = torch.add(input[1], input[2][i])
      end
      return self.output
   end

   function CAddTensorTable:updateGradInput(input, gradOutput)
      expect.table(self, input)
      expect.tensor(self, input[1], 'the first part of the input')
      expect.table(self, gradOutput, 'gradOutput')
      local sum = input[1].new():resizeAs(input[1]):zero()
      for i = 1, #gradOutput do sum:add(gradOutput[i]) end
      self.gradInput = { sum, gradOutput }
      return self.gradInput
   end
end

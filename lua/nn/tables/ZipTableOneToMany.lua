-- nn.ZipTableOneToMany: {v, {a, b}} to {{v, a}, {v, b}}.

local torch, expect = require 'torch', require 'nn.checks.expect'

return function(ZipTableOneToMany, parent)

   function ZipTableOneToMany:__init()
      parent.__init(self)
      self.output, self.gradInput = {}, {}
      -- For Torch7's methods, in files from here.
      self.gradInputEl = torch.Tensor()
   end

   function ZipTableOneToMany:updateOutput(input)
      expect.table(self, input)
      if #input ~= 2 then expect.argument_error(self, 'input', 'a table of a value and a table', input) end
      local one, many = input[1], expect.table(self, input[2], 'the second part of the input')
      self.output = {}
      for i = 1, #many do self.output[i] = { one, many[i] } end
      return self.output
   end

   function ZipTableOneToMany:updateGradInput(input, gradOutput)
      expect.table(self, input)
      expect.table(self, gradOutput, 'gradOutput')
      expect.tensor(self, input[1], 'the first part of the input')
      for i = 1, #gradOutput do
         expect.table(self, gradOutput[i], 'each part of gradOutput')
         expect.same_count(self, input[1], gradOutput[i][1], 'the first of each part of gradOutput')
      end
      local one, many = input[1].new():resizeAs(input[1]):zero(), {}
      for i = 1, #gradOutput do
         one:add(gradOutput[i][1])
         many[i] = gradOutput[i][2]
      end
      self.gradInput = { one, many }
      return self.gradInput
   end
end

-- nn.ZipTableOneToMany: {v, {a, b}} to {{v, a}, {v, b}}.

local check = require 'nn.check'

return function(ZipTableOneToMany, parent)

   function ZipTableOneToMany:__init()
      parent.__init(self)
      self.output, self.gradInput = {}, {}
   end

   function ZipTableOneToMany:updateOutput(input)
      check.table(self, input)
      if #input ~= 2 then check.fail(self, 'table of a value and a table expected (got %s)', check.describe(input)) end
      local one, many = input[1], check.table(self, input[2], 'the second part of the input')
      self.output = {}
      for i = 1, #many do self.output[i] = { one, many[i] } end
      return self.output
   end

   function ZipTableOneToMany:updateGradInput(input, gradOutput)
      check.table(self, input)
      check.table(self, gradOutput, 'gradOutput')
      check.tensor(self, input[1], 'the first part of the input')
      for i = 1, #gradOutput do
         check.table(self, gradOutput[i], 'each part of gradOutput')
         check.same_count(self, input[1], gradOutput[i][1], 'the first of each part of gradOutput')
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

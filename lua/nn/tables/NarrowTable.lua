-- nn.NarrowTable: some parts of a table that follow each other.

local expect = require 'nn.checks.expect'

return function(NarrowTable, _, nn)

   function NarrowTable:__init()
      self.output, self.gradInput = {}, {}
   end

   function NarrowTable:updateOutput(input)
      expect.table(self, input)
      if #input < self.offset + self.length - 1 then
         expect.fail(self, 'input must be a table of at least %d elements (got %s)', self.offset + self.length - 1,
            expect.describe(input))
      end
      self.output = {}
      for i = 1, self.length do self.output[i] = input[self.offset + i - 1] end
      return self.output
   end

   function NarrowTable:updateGradInput(input, gradOutput)
      expect.table(self, input)
      expect.table(self, gradOutput, 'gradOutput')
      for i = 1, #input do
         if i >= self.offset and i < self.offset + self.length then
            self.gradInput[i] = gradOutput[i - self.offset + 1]
         else
            self.gradInput[i] = nn.utils.recursiveFill(nn.utils.recursiveResizeAs(self.gradInput[i], input[i]), 0)
         end
      end
      for i = #input + 1, #self.gradInput do self.gradInput[i] = nil end
      return self.gradInput
   end
end

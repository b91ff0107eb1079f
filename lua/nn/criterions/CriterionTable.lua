-- nn.CriterionTable: a criterion as a module, for {input, target}.

local expect = require 'nn.checks.expect'

return function(CriterionTable)

   function CriterionTable:__init() self.gradInput = { self.criterion.gradInput } end

   function CriterionTable:updateOutput(input)
      expect.table(self, input)
      self.output = self.criterion:updateOutput(input[1], input[2])
      return self.output
   end

   function CriterionTable:updateGradInput(input)
      expect.table(self, input)
      self.gradInput = { self.criterion:updateGradInput(input[1], input[2]) }
      return self.gradInput
   end
end

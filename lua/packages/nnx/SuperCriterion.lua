-- nn.SuperCriterion: the weighted sum of criterions, each for its input of a table, with targets of a table or one for
-- all.

local torch = require 'torch'
local check, expect = require 'torch.base.check', require 'nn.checks.expect'

return function(Super, parent)

   function Super:__init()
      parent.__init(self)
      self.criterions, self.weights, self.gradInput = {}, {}, {}
   end

   -- Returns nothing.
   function Super:add(criterion, weight)
      table.insert(self.criterions, (expect.instance_of('nn.Criterion', self, 'argument 1', criterion)))
      table.insert(self.weights, weight or 1)
   end

   local function check_input(self, input)
      check.kind(self, 'input', input, 'table')
      if #input < #self.criterions then
         check.argument_error(self, 'input', string.format('a table of %d inputs', #self.criterions), input)
      end
   end

   local function target_of(target, i)
      if type(target) == 'table' then return target[i] end
      return target
   end

   function Super:updateOutput(input, target)
      check_input(self, input)
      self.output = 0
      for i, criterion in ipairs(self.criterions) do
         self.output = self.output + self.weights[i] * criterion:updateOutput(input[i], target_of(target, i))
      end
      return self.output
   end

   function Super:updateGradInput(input, target)
      check_input(self, input)
      for i, criterion in ipairs(self.criterions) do
         self.gradInput[i] = torch.mul(criterion:updateGradInput(input[i], target_of(target, i)), self.weights[i])
      end
      return self.gradInput
   end
end

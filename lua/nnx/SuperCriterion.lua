-- nn.SuperCriterion: the weighted sum of criterions, each for its input of a table, all with the same target.

local torch = require 'torch'
local check, instance_of = require 'torch.base.check', require 'nn.instance_of'

return function(Super, parent)

   function Super:__init()
      parent.__init(self)
      self.criterions, self.weights, self.gradInput = {}, {}, {}
   end

   function Super:add(criterion, weight)
      self.criterions[#self.criterions + 1] = instance_of('nn.Criterion', self, 'argument 1', criterion)
      self.weights[#self.weights + 1] = weight or 1
      return self
   end

   local function check_input(self, input)
      check.kind(self, 'input', input, 'table')
      if #input < #self.criterions then
         check.refuse(self, 'input', ('a table of %d inputs'):format(#self.criterions), input)
      end
   end

   function Super:updateOutput(input, target)
      check_input(self, input)
      self.output = 0
      for i, criterion in ipairs(self.criterions) do
         self.output = self.output + self.weights[i] * criterion:updateOutput(input[i], target)
      end
      return self.output
   end

   function Super:updateGradInput(input, target)
      check_input(self, input)
      self.gradInput = {}
      for i, criterion in ipairs(self.criterions) do
         self.gradInput[i] = torch.mul(criterion:updateGradInput(input[i], target), self.weights[i])
      end
      return self.gradInput
   end
end

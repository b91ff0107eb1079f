-- nn.MultiCriterion: a weighted sum of criterions for one input and target.

local torch = require 'torch'
local expect = require 'nn.checks.expect'

return function(MultiCriterion, parent, nn)

   function MultiCriterion:__init()
      parent.__init(self)
      self.criterions = {}
      self.weights = torch.DoubleStorage()
   end

   function MultiCriterion:add(criterion, weight)
      if not criterion then expect.fail(self, 'add: argument 1 must be a criterion (got nil)') end
      self.criterions[#self.criterions + 1] = criterion
      self.weights:resize(#self.criterions, true)
      self.weights[#self.criterions] = weight or 1
      return self
   end

   function MultiCriterion:updateOutput(input, target)
      self.output = 0
      for i = 1, #self.criterions do
         self.output = self.output + self.weights[i] * self.criterions[i]:updateOutput(input, target)
      end
      return self.output
   end

   function MultiCriterion:updateGradInput(input, target)
      self.gradInput = nn.utils.recursiveResizeAs(self.gradInput, input)
      nn.utils.recursiveFill(self.gradInput, 0)
      for i = 1, #self.criterions do
         nn.utils.recursiveAdd(self.gradInput, self.weights[i], self.criterions[i]:updateGradInput(input, target))
      end
      return self.gradInput
   end
end

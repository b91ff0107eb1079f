-- nn.ParallelCriterion: a weighted sum of criterions, one for each element of a table; one target for all, or a table.

local torch = require 'torch'
local expect = require 'nn.checks.expect'

return function(ParallelCriterion, parent, nn)

   function ParallelCriterion:__init()
      self.criterions, self.weights, self.gradInput = {}, {}, {}
   end

   function ParallelCriterion:add(criterion, weight)
      if not criterion then expect.fail(self, 'add: argument 1 must be a criterion (got nil)') end
      self.criterions[#self.criterions + 1] = criterion
      self.weights[#self.weights + 1] = weight or 1
      return self
   end

   -- The number of parts of a table, or of a tensor along its first dimension.
   local function parts_of(self, value, what)
      if torch.isTensor(value) and value:dim() > 0 then return value:size(1) end
      return #expect.table(self, value, what)
   end

   local function check_parts(self, input, target)
      local needed = #self.criterions
      if parts_of(self, input, 'input') < needed then
         expect.fail(self, 'input must have %d elements, one for each criterion (got %s)', needed,
            expect.describe(input))
      end
      if not self.repeatTarget and parts_of(self, target, 'target') < needed and torch.isTensor(target) then
         expect.fail(self, 'target must have %d elements, one for each criterion (got %s)', needed,
            expect.describe(target))
      end
   end

   function ParallelCriterion:updateOutput(input, target)
      check_parts(self, input, target)
      self.output = 0
      for i, criterion in ipairs(self.criterions) do
         local t = target
         if not self.repeatTarget then t = target[i] end
         self.output = self.output + self.weights[i] * criterion:updateOutput(input[i], t)
      end
      return self.output
   end

   function ParallelCriterion:updateGradInput(input, target)
      check_parts(self, input, target)
      self.gradInput = nn.utils.recursiveResizeAs(self.gradInput, input)
      nn.utils.recursiveFill(self.gradInput, 0)
      for i, criterion in ipairs(self.criterions) do
         local t = target
         if not self.repeatTarget then t = target[i] end
         nn.utils.recursiveAdd(self.gradInput[i], self.weights[i], criterion:updateGradInput(input[i], t))
      end
      return self.gradInput
   end

   function ParallelCriterion:type(name, cache)
      if not name then return self._type end
      self.gradInput = {}
      return parent.type(self, name, cache)
   end
end

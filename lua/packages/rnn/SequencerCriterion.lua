-- nn.SequencerCriterion: the sum of a criterion over the steps of a sequence, each with its target: tables, or tensors
-- along their first dimension. nn.RepeaterCriterion: all steps have the same target.

local torch = require 'torch'
local check = require 'torch.base.check'

return function(Criterion, _, nn, name)

   local repeats = name == 'RepeaterCriterion'

   local function steps_of(self, what, value)
      if torch.isTensor(value) then
         if value:dim() == 0 then check.argument_error(self, what, 'a sequence', value) end
         return value:size(1)
      end
      check.kind(self, what, value, 'table')
      return #value
   end

   local function count(self, input, target)
      local steps = steps_of(self, 'input', input)
      if not repeats and steps_of(self, 'target', target) ~= steps then
         check.argument_error(self, 'target', string.format('a sequence of %d steps, as the input is', steps), target)
      end
      return steps
   end

   local function target_of(target, step) if repeats then return target end return target[step] end

   function Criterion:updateOutput(input, target)
      local steps, sum = count(self, input, target), 0
      for i = 1, steps do
         sum = sum + self:getStepCriterion(i):updateOutput(input[i], target_of(target, i))
      end
      self.output = self.sizeAverage and steps > 0 and sum / steps or sum
      return self.output
   end

   function Criterion:updateGradInput(input, target)
      local steps, gradients = count(self, input, target), {}
      for i = 1, steps do
         local gradient = self:getStepCriterion(i):updateGradInput(input[i], target_of(target, i))
         if self.sizeAverage then nn.utils.recursiveAdd(gradient, 1 / steps - 1, gradient) end
         gradients[i] = gradient
      end
      if not torch.isTensor(input) then
         self.gradInput = gradients
         return gradients
      end
      if torch.type(self.gradInput) ~= input:type() then self.gradInput = input.new() end
      self.gradInput:resizeAs(input)
      for i = 1, steps do self.gradInput[i]:copy(gradients[i]) end
      return self.gradInput
   end

   if repeats then Criterion.forward, Criterion.backward = Criterion.updateOutput, Criterion.updateGradInput end
end

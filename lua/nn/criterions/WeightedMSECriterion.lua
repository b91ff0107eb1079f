-- nn.WeightedMSECriterion: MSECriterion for targets that are multiplied by a weight first.

local torch = require 'torch'
local expect = require 'nn.checks.expect'

return function(WeightedMSECriterion, parent)

   function WeightedMSECriterion:__init(weight)
      parent.__init(self)
      self.weight = expect.tensor(self, weight, 'weight'):clone()
      self.buffer = torch.Tensor()
   end

   local function weighted(self, input, target)
      expect.same_count(self, expect.tensor(self, input), expect.tensor(self, target, 'target'), 'target')
      local weight = self.weight
      self.buffer = self.buffer or input.new()
      self.buffer:resizeAs(input):copy(target)
      if input:dim() - 1 == weight:dim() and weight:nElement() * input:size(1) == input:nElement() then
         for i = 1, input:size(1) do self.buffer[i]:cmul(weight) end
      else
         expect.same_count(self, input, weight, 'weight')
         self.buffer:cmul(weight)
      end
      return self.buffer
   end

   function WeightedMSECriterion:updateOutput(input, target)
      return parent.updateOutput(self, input, weighted(self, input, target))
   end

   function WeightedMSECriterion:updateGradInput(input, target)
      return parent.updateGradInput(self, input, weighted(self, input, target))
   end
end

-- nn.CategoricalEntropy: the identity for batch x probabilities, whose gradient adds that of -scale times the entropy
-- of the mean probabilities, while it is below minEntropy: no class shall be forgotten.

local torch = require 'torch'
local check = require 'torch.base.check'

return function(Entropy, parent)

   function Entropy:__init(scale, minEntropy)
      parent.__init(self)
      self.scale, self.minEntropy = scale or 1, minEntropy
   end

   function Entropy:updateOutput(input)
      check.real(self, 'input', input)
      check.dimensions(self, 'input', input, 2, 2)
      local mean = input:mean(1)
      self.entropy = -torch.cmul(mean, torch.log(mean + 1e-12)):sum()
      self.output:resizeAs(input):copy(input)
      return self.output
   end

   function Entropy:updateGradInput(input, gradOutput)
      check.real(self, 'input', input)
      check.same_size(self, 'gradOutput', gradOutput, input)
      self.gradInput:resizeAs(gradOutput):copy(gradOutput)
      if not self.minEntropy or self.entropy < self.minEntropy then
         local slope = torch.log(input:mean(1) + 1e-12):add(1):mul(self.scale / input:size(1))
         self.gradInput:add(slope:expandAs(input))
      end
      return self.gradInput
   end
end

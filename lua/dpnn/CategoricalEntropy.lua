-- nn.CategoricalEntropy: the identity for batch x probabilities, whose gradient adds that of -scale times the entropy
-- of the mean probabilities, while it is below minEntropy: so that no class is neglected.

local torch = require 'torch'
local check, on_copies = require 'torch.base.check', require 'nn.on_copies'

return function(Entropy)

   on_copies(Entropy, function(self, _, input)
      check.dimensions(self, 'input', input, 2, 2)
      local mean = input:mean(1)
      self.entropy = -torch.cmul(mean, torch.log(mean + 1e-12)):sum()
   end, function(self, gradInput, input)
      check.real(self, 'input', input)
      if not self.minEntropy or self.entropy < self.minEntropy then
         local slope = torch.log(input:mean(1) + 1e-12):add(1):mul(self.scale / input:size(1))
         gradInput:add(slope:expandAs(input))
      end
   end)
end

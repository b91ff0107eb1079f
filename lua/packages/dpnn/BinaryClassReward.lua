-- nn.BinaryClassReward: as nn.VRClassReward, for the classes 0 and 1: input { probability of 1, baseline }.

local torch = require 'torch'
local check = require 'torch.base.check'

return function(Reward)

   function Reward:updateOutput(input, target)
      check.kind(self, 'input', input, 'table')
      check.real(self, 'probabilities', input[1])
      check.dimensions(self, 'target', target, 1, 1)
      check.same_count(self, 'probabilities', input[1], target)
      local class = input[1]:contiguous():view(-1):gt(0.5):long()
      self.reward = torch.eq(class, target:long()):typeAs(input[1]):mul(self.scale)
      self.output = -self.reward:sum() / (self.sizeAverage and target:size(1) or 1)
      return self.output
   end
end

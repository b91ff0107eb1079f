-- nn.TotalDropout: while training, all elements are zero with a probability.

local torch = require 'torch'
local check, mixins = require 'torch.base.check', require 'nn.module.mixins'

return function(TotalDropout)

   function TotalDropout:__init()
      self.train = true
      if not (self.p >= 0 and self.p < 1) then
         check.argument_error('TotalDropout', 'p', 'from 0 to less than 1', self.p)
      end
   end

   mixins.on_copies(TotalDropout, function(self, output)
      if not self.train then return end
      self.noise = torch.bernoulli(1 - self.p)
      output:mul(self.noise)
   end, function(self, gradInput)
      if not self.train then check.fail(self, 'backward is defined in training alone') end
      gradInput:mul(self.noise)
   end)
end

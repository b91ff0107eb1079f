-- nn.DropoutEx: the first form of dropout: p is the share that is kept, and kept elements are not scaled in training;
-- evaluation multiplies by p.

local torch = require 'torch'
local check, mixins = require 'torch.base.check', require 'nn.module.mixins'

return function(DropoutEx)

   function DropoutEx:__init()
      self.p, self.train, self.noise = check.number('DropoutEx', 'p', self.p), true, torch.Tensor()
      if self.p > 1 or self.p < 0 then check.argument_error('DropoutEx', 'p', 'a number from 0 to 1', self.p) end
   end

   mixins.on_copies(DropoutEx, function(self, output, input)
      if not self.train then return output:mul(self.p) end
      output:cmul(self.noise:resizeAs(input):bernoulli(self.p))
   end, function(self, gradInput)
      if self.train then gradInput:cmul(self.noise) else gradInput:mul(self.p) end
   end)
end

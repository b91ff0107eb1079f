-- nn.DropoutEx: dropout of the first years: p is the share that is kept, and kept elements are not scaled in training;
-- evaluation multiplies by p.

local torch = require 'torch'
local check = require 'torch.base.check'

return function(DropoutEx, parent)

   function DropoutEx:__init(p)
      parent.__init(self)
      self.p, self.train, self.noise = check.number('DropoutEx', 'p', p or 0.5), true, torch.Tensor()
      if self.p > 1 or self.p < 0 then check.refuse('DropoutEx', 'p', 'a number from 0 to 1', p) end
   end

   function DropoutEx:updateOutput(input)
      check.real(self, 'input', input)
      self.output:resizeAs(input):copy(input)
      if self.train then
         self.noise:resizeAs(input):bernoulli(self.p)
         self.output:cmul(self.noise)
      else
         self.output:mul(self.p)
      end
      return self.output
   end

   function DropoutEx:updateGradInput(input, gradOutput)
      check.same_size(self, 'gradOutput', gradOutput, input)
      self.gradInput:resizeAs(gradOutput):copy(gradOutput)
      if self.train then self.gradInput:cmul(self.noise) else self.gradInput:mul(self.p) end
      return self.gradInput
   end
end

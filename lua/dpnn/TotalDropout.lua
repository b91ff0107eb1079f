-- nn.TotalDropout: while training, all elements are zero with a probability.

local torch = require 'torch'
local check = require 'torch.base.check'

return function(TotalDropout, parent)

   function TotalDropout:__init(p)
      parent.__init(self)
      self.p, self.train = p or 0.5, true
      if not (self.p >= 0 and self.p < 1) then check.refuse('TotalDropout', 'p', 'from 0 to less than 1', p) end
   end

   function TotalDropout:updateOutput(input)
      check.real(self, 'input', input)
      self.output:resizeAs(input):copy(input)
      if self.train then
         self.noise = torch.bernoulli(1 - self.p)
         self.output:mul(self.noise)
      end
      return self.output
   end

   function TotalDropout:updateGradInput(input, gradOutput)
      check.same_size(self, 'gradOutput', gradOutput, input)
      self.gradInput:resizeAs(gradOutput):copy(gradOutput)
      if self.train then self.gradInput:mul(self.noise) end
      return self.gradInput
   end

   function TotalDropout:__tostring__() return ('%s(%f)'):format(torch.type(self), self.p) end
end

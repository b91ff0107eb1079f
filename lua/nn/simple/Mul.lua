-- nn.Mul: multiplies all elements by one learnt number.

local torch = require 'torch'
local bound = require 'nn.bound'
local check = require 'nn.check'

return function(Mul, parent)

   function Mul:__init()
      parent.__init(self)
      self.weight, self.gradWeight = torch.Tensor(1), torch.Tensor(1)
      self:reset()
   end

   function Mul:reset(stdv)
      stdv = bound(self, stdv, self.weight:size(1))
      self.weight:uniform(-stdv, stdv)
   end

   function Mul:updateOutput(input)
      self.output:resizeAs(check.own(self, input)):mul(input, self.weight[1])
      return self.output
   end

   function Mul:updateGradInput(input, gradOutput)
      check.same_count(self, input, check.own(self, gradOutput, 'gradOutput'))
      self.gradInput:resizeAs(input):mul(gradOutput, self.weight[1])
      return self.gradInput
   end

   function Mul:accGradParameters(input, gradOutput, scale)
      check.same_count(self, input, check.own(self, gradOutput, 'gradOutput'))
      self.gradWeight[1] = self.gradWeight[1] + (scale or 1) * input:dot(gradOutput)
   end
end

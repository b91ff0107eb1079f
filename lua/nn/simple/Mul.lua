-- nn.Mul: multiplies all elements by one learned number.

local torch = require 'torch'
local initialization = require 'nn.module.initialization'
local expect = require 'nn.checks.expect'

return function(Mul, parent, nn)

   function Mul:__init()
      parent.__init(self)
      self.weight, self.gradWeight = torch.Tensor(1), torch.Tensor(1)
      self:reset()
   end

   function Mul:reset(stdv) initialization.uniform(nn, self, stdv, self.weight:size(1)) end

   function Mul:updateOutput(input)
      self.output:resizeAs(expect.own(self, input)):mul(input, self.weight[1])
      return self.output
   end

   function Mul:updateGradInput(input, gradOutput)
      expect.same_count(self, input, expect.own(self, gradOutput, 'gradOutput'))
      self.gradInput:resizeAs(input):mul(gradOutput, self.weight[1])
      return self.gradInput
   end

   function Mul:accGradParameters(input, gradOutput, scale)
      expect.same_count(self, input, expect.own(self, gradOutput, 'gradOutput'))
      self.gradWeight[1] = self.gradWeight[1] + (scale or 1) * input:dot(gradOutput)
   end
end

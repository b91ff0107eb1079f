-- nn.Add: adds a bias to each element, or one to all.

local torch = require 'torch'
local initialization = require 'nn.module.initialization'
local expect = require 'nn.checks.expect'
local expand = require 'nn.simple.expand'

return function(Add, parent, nn)

   function Add:__init(inputSize, scalar)
      parent.__init(self)
      self.scalar = scalar
      local size = scalar and 1 or expect.integer(self, 'inputSize', inputSize, 1)
      self.bias, self.gradBias = torch.Tensor(size), torch.Tensor(size)
      self._ones = torch.Tensor { 1 }
      self:reset()
   end

   function Add:reset(stdv) initialization.uniform(nn, self, stdv, self.bias:size(1)) end

   function Add:updateOutput(input)
      self.output:resizeAs(expect.own(self, input))
      self.output:add(input, self.scalar and self.bias[1] or expand.forward(self, self.bias, input))
      return self.output
   end

   Add.updateGradInput = expand.pass

   function Add:accGradParameters(input, gradOutput, scale)
      expect.same_count(self, input, expect.own(self, gradOutput, 'gradOutput'))
      if self.gradBias:nElement() == 1 then
         self.gradBias[1] = self.gradBias[1] + (scale or 1) * gradOutput:sum()
      else
         expand.backward(self, self.gradBias, gradOutput, scale or 1)
      end
   end
end

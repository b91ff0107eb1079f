-- nn.CAdd: adds a bias of any size, with dimensions of size 1 for all of the input's.

local torch = require 'torch'
local initialization = require 'nn.module.initialization'
local expect = require 'nn.checks.expect'
local expand = require 'nn.simple.expand'

return function(CAdd, parent, nn)

   function CAdd:__init(...)
      parent.__init(self)
      self.size = expect.sizes(self, ...)
      self.bias, self.gradBias = torch.Tensor():resize(self.size), torch.Tensor():resize(self.size)
      self:reset()
   end

   function CAdd:reset(stdv) initialization.uniform(nn, self, stdv, self.bias:nElement()) end

   function CAdd:updateOutput(input)
      local wide = expand.forward(self, self.bias, input)
      self.output:resizeAs(input):copy(input):add(wide)
      return self.output
   end

   CAdd.updateGradInput = expand.pass

   function CAdd:accGradParameters(input, gradOutput, scale)
      expect.same_count(self, input, expect.own(self, gradOutput, 'gradOutput'))
      expand.backward(self, self.gradBias, gradOutput, scale or 1)
   end
end

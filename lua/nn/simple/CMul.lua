-- nn.CMul: multiplies by a weight of any size, with dimensions of size 1 for all of the input's.

local torch = require 'torch'
local initialization = require 'nn.module.initialization'
local expect = require 'nn.checks.expect'
local expand = require 'nn.simple.expand'

return function(CMul, parent)

   function CMul:__init(...)
      parent.__init(self)
      self.size = expect.sizes(self, ...)
      self.weight, self.gradWeight = torch.Tensor(self.size), torch.Tensor(self.size)
      self:reset()
   end

   function CMul:reset(stdv)
      stdv = initialization.bound(self, stdv, self.weight:nElement())
      self.weight:uniform(-stdv, stdv)
   end

   function CMul:updateOutput(input)
      local wide = expand.forward(self, self.weight, input)
      self.output:resizeAs(input):cmul(input, wide)
      return self.output
   end

   function CMul:updateGradInput(input, gradOutput)
      if self.gradInput == nil then return nil end
      expect.same_count(self, input, expect.own(self, gradOutput, 'gradOutput'))
      local wide = expand.forward(self, self.weight, input)
      self.gradInput:resizeAs(input):cmul(gradOutput, wide)
      return self.gradInput
   end

   function CMul:accGradParameters(input, gradOutput, scale)
      expect.same_count(self, input, expect.own(self, gradOutput, 'gradOutput'))
      -- Not the field _input: in Torch7's files it is a view of the input.
      self._product = self._product or input.new()
      self._product:resizeAs(input):cmul(input, gradOutput)
      expand.backward(self, self.gradWeight, self._product, scale or 1)
   end
end

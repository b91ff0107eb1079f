-- nn.WhiteNoise: adds numbers of a normal distribution while training.

local torch = require 'torch'
local expect = require 'nn.checks.expect'

return function(WhiteNoise)

   function WhiteNoise:__init()
      self.noise = torch.Tensor()
      self.train = true
   end

   function WhiteNoise:updateOutput(input)
      self.output:resizeAs(expect.own(self, input)):copy(input)
      if self.train ~= false then
         self.noise:resizeAs(input):normal(self.mean, self.std)
         self.output:add(self.noise)
      elseif self.mean ~= 0 then
         self.output:add(self.mean)
      end
      return self.output
   end

   function WhiteNoise:updateGradInput(input, gradOutput)
      if self.train == false then
         expect.fail(self, 'backward needs training mode (got evaluation); call :training()')
      end
      expect.same_count(self, input, expect.own(self, gradOutput, 'gradOutput'))
      self.gradInput:resizeAs(input):copy(gradOutput)
      return self.gradInput
   end

   function WhiteNoise:__tostring__()
      return string.format('%s mean: %f, std: %f', torch.type(self), self.mean, self.std)
   end
end

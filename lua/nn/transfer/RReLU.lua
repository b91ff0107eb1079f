-- nn.RReLU: x where it is positive, else x times a slope that is drawn for each element while training.

local torch = require 'torch'
local expect = require 'nn.checks.expect'

return function(RReLU, parent)

   function RReLU:__init(lower, upper, inplace)
      parent.__init(self)
      self.lower, self.upper = lower or 1 / 8, upper or 1 / 3
      if type(self.lower) ~= 'number' or type(self.upper) ~= 'number' or self.lower > self.upper then
         expect.fail(self, 'lower must be a number of at most upper (got %s and %s)', expect.describe(lower),
            expect.describe(upper))
      end
      self.noise = torch.Tensor()
      self.train = true
      self.inplace = inplace or false
   end

   function RReLU:updateOutput(input)
      expect.own(self, input)
      local negative = input:le(0)
      local noise = self.noise:resizeAs(input):fill(1)
      if self.train then
         -- Numbers are drawn for negative elements only, in order.
         local count = negative:sum()
         if count > 0 then
            noise:maskedCopy(negative, torch.Tensor(count):uniform(self.lower, self.upper):type(noise:type()))
         end
      else
         noise:maskedFill(negative, (self.lower + self.upper) / 2)
      end
      if self.inplace then
         input:cmul(noise)
         self.output:set(input)
      else
         self.output:resizeAs(input):cmul(input, noise)
      end
      return self.output
   end

   function RReLU:updateGradInput(input, gradOutput)
      expect.same_count(self, input, expect.own(self, gradOutput, 'gradOutput'))
      expect.same_count(self, input, self.noise, 'backward called before forward on this input: noise')
      local gradient = self.gradInput
      if self.inplace then gradient:set(gradOutput) else gradient:resizeAs(input):copy(gradOutput) end
      gradient:cmul(self.noise)
      return gradient
   end

   function RReLU:__tostring__()
      return string.format('%s (l:%f, u:%f)', torch.type(self), self.lower, self.upper)
   end
end

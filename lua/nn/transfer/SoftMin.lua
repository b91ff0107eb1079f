-- nn.SoftMin: SoftMax of -x.

local torch = require 'torch'
local expect = require 'nn.checks.expect'

return function(SoftMin, parent, nn)

   -- The SoftMax inside; files of the original have none.
   local function inner(self)
      self.softmax = self.softmax or nn.SoftMax():type(self._type)
      return self.softmax
   end

   function SoftMin:updateOutput(input)
      expect.own(self, input)
      self.mininput = self.mininput or input.new()
      self.output = inner(self):updateOutput(self.mininput:resizeAs(input):mul(input, -1))
      return self.output
   end

   function SoftMin:updateGradInput(input, gradOutput)
      -- Of the input its size alone is looked at.
      self.gradInput = inner(self):updateGradInput(expect.own(self, input), gradOutput):mul(-1)
      return self.gradInput
   end

   function SoftMin:clearState()
      if torch.isTensor(self.mininput) then self.mininput:set() end
      if self.softmax then self.softmax:clearState() end
      return parent.clearState(self)
   end
end

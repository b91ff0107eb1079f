-- nn.SoftMin: SoftMax of -x.

local torch = require 'torch'
local expect = require 'nn.expect'

return function(SoftMin, parent, nn)

   -- The SoftMax inside; files of the original have none.
   local function inner(self)
      self.softmax = self.softmax or nn.SoftMax():type(self._type)
      return self.softmax
   end

   function SoftMin:updateOutput(input)
      expect.own(self, input)
      self.mininput = self.mininput or input.new()
      self.mininput:resizeAs(input):copy(input):mul(-1)
      self.output = inner(self):updateOutput(self.mininput)
      return self.output
   end

   function SoftMin:updateGradInput(input, gradOutput)
      expect.own(self, input)
      self.mininput = self.mininput or input.new()
      self.mininput:resizeAs(input):copy(input):mul(-1)
      self.gradInput = inner(self):updateGradInput(self.mininput, gradOutput):mul(-1)
      return self.gradInput
   end

   function SoftMin:clearState()
      if torch.isTensor(self.mininput) then self.mininput:set() end
      if self.softmax then self.softmax:clearState() end
      return parent.clearState(self)
   end
end

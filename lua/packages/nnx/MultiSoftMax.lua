-- nn.MultiSoftMax: a softmax for each row along the last dimension of a matrix or a batch of them.

local torch = require 'torch'
local check = require 'torch.base.check'

return function(MultiSoftMax, parent, nn)

   function MultiSoftMax:__init()
      parent.__init(self)
      -- Torch7's methods read them.
      for _, name in ipairs { '_input', '_output', '_gradInput', '_gradOutput' } do self[name] = torch.Tensor() end
   end

   local function rows_of(self, what, x)
      check.real(self, what, x)
      check.dimensions(self, what, x, 2, 3)
      return x:contiguous():view(-1, x:size(x:dim()))
   end

   function MultiSoftMax:updateOutput(input)
      -- Files of Torch7 have none.
      self._softmax = self._softmax or nn.SoftMax():type(self:type())
      self.output = self._softmax:updateOutput(rows_of(self, 'input', input)):viewAs(input)
      return self.output
   end

   function MultiSoftMax:updateGradInput(input, gradOutput)
      check.same_size(self, 'gradOutput', gradOutput, input)
      if not self._softmax then self:updateOutput(input) end
      local gradient = self._softmax:updateGradInput(rows_of(self, 'input', input),
         rows_of(self, 'gradOutput', gradOutput))
      self.gradInput = gradient:viewAs(input)
      return self.gradInput
   end
end

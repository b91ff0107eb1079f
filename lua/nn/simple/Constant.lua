-- nn.Constant: a tensor or number, whatever the input is; for a batch, once for each sample.

local torch = require 'torch'
local expect = require 'nn.checks.expect'

return function(Constant)

   function Constant:__init()
      if type(self.value) == 'number' then self.value = torch.Tensor { self.value } end
      if not torch.isTensor(self.value) then
         expect.argument_error(self, 'argument 1', 'a number or a tensor', self.value)
      end
   end

   function Constant:updateOutput(input)
      if self.nInputDim and expect.own(self, input):dim() > self.nInputDim then
         local value = self.value
         local sizes, ones = torch.LongStorage(value:dim() + 1), torch.LongStorage(value:dim() + 1)
         sizes[1], ones[1] = input:size(1), 1
         for d = 1, value:dim() do sizes[d + 1], ones[d + 1] = value:size(d), value:size(d) end
         local wide = value:contiguous():view(ones):expand(sizes)
         self.output:resize(sizes):copy(wide)
      else
         self.output:resize(self.value:size()):copy(self.value)
      end
      return self.output
   end

   function Constant:updateGradInput(input)
      self.gradInput:resizeAs(expect.own(self, input)):zero()
      return self.gradInput
   end
end

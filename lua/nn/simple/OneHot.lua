-- nn.OneHot: a vector for each index, with 1 at the index and 0 elsewhere.

local torch = require 'torch'
local expect = require 'nn.checks.expect'

return function(OneHot)

   function OneHot:updateOutput(input)
      local n, size = self.outputSize
      if type(input) == 'number' then
         size, input = torch.LongStorage { n }, torch.LongTensor { input }
      else
         expect.tensor(self, input)
         size = torch.LongStorage(input:dim() + 1)
         for d = 1, input:dim() do size[d] = input:size(d) end
         size[input:dim() + 1] = n
      end
      local index = input:long():contiguous():view(-1, 1)
      if index:min() < 1 or index:max() > n then
         expect.fail(self, 'indices must be from 1 to %d (got %d to %d)', n, index:min(), index:max())
      end
      self.output:resize(index:size(1), n):zero():scatter(2, index, 1)
      self.output:resize(size)
      return self.output
   end

   function OneHot:updateGradInput(input)
      if type(input) == 'number' then
         self.gradInput = 0
      else
         expect.tensor(self, input)
         if not torch.isTensor(self.gradInput) then self.gradInput = self.output.new() end
         self.gradInput:resize(input:size()):zero()
      end
      return self.gradInput
   end
end

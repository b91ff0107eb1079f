-- nn.PixelSort: the planes of each pixel of maps, planes x height x width, from the largest to the smallest.

local torch = require 'torch'
local check = require 'torch.base.check'

return function(PixelSort)

   function PixelSort:updateOutput(input)
      check.real(self, 'input', input)
      check.dimensions(self, 'input', input, 3, 4)
      self.output, self._indices = torch.sort(input, input:dim() - 2, true)
      return self.output
   end

   function PixelSort:updateGradInput(input, gradOutput)
      check.same_size(self, 'gradOutput', gradOutput, input)
      self.gradInput:resizeAs(input):zero():scatter(input:dim() - 2, self._indices, gradOutput)
      return self.gradInput
   end
end

-- nn.CopyGrad: the identity, whose gradient is a copy, so that it may be changed in place.

local torch = require 'torch'

return function(nn)
   local CopyGrad = torch.class('nn.CopyGrad', 'nn.Identity', nn)

   function CopyGrad:updateGradInput(_, gradOutput)
      self.gradInput = (nn.utils.recursiveCopy(self.gradInput, gradOutput))
      return self.gradInput
   end
end

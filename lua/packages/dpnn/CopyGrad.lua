-- nn.CopyGrad: the identity, whose gradient is a copy, so that it may be changed in place.

return function(CopyGrad, _, nn)

   function CopyGrad:updateGradInput(_, gradOutput)
      self.gradInput = (nn.utils.recursiveCopy(self.gradInput, gradOutput))
      return self.gradInput
   end
end

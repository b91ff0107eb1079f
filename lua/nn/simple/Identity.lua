-- nn.Identity: the input itself.

return function(Identity)

   function Identity:updateOutput(input)
      self.output = input
      return input
   end

   function Identity:updateGradInput(_, gradOutput)
      self.gradInput = gradOutput
      return gradOutput
   end
end

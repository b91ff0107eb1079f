-- nn.SpatialBinaryConvolution: a convolution whose weights are, for each output plane, their signs times the mean of
-- their absolute values (Rastegari et al., 2016). Gradients pass to the weights as they were.

local check = require 'torch.base.check'

return function(Convolution, parent)

   -- The weights with their signs alone.
   function Convolution:binarizeWeight()
      check.real(self, 'weight', self.weight)
      local w = self.weight:contiguous():view(self.weight:size(1), -1)
      local mean = w:clone():abs():mean(2)
      local signs = w:ge(0):typeAs(w):mul(2):add(-1)
      return signs:cmul(mean:expandAs(w)):viewAs(self.weight)
   end

   -- Calls a method of convolutions with the binary weights.
   local function with_binary(self, method, ...)
      local weight = self.weight
      self.weight = self:binarizeWeight()
      local fine, result = pcall(parent[method], self, ...)
      self.weight = weight
      if not fine then error(result, 0) end
      return result
   end

   function Convolution:updateOutput(input) return (with_binary(self, 'updateOutput', input)) end

   function Convolution:updateGradInput(input, gradOutput)
      return (with_binary(self, 'updateGradInput', input, gradOutput))
   end
end

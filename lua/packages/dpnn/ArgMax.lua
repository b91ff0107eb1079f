-- nn.ArgMax: the indices of the largest elements along a dimension of samples that have nInputDim dimensions.

local torch = require 'torch'
local check = require 'torch.base.check'

return function(ArgMax, parent)

   -- With asLong, which is the default, the output is a LongTensor.
   function ArgMax:__init(dim, nInputDim, asLong)
      parent.__init(self)
      self.dim, self.nInputDim = check.size('ArgMax', 'dimension', dim or 1), nInputDim or math.huge
      self.asLong = asLong == nil or asLong
      if self.asLong then self.output = torch.LongTensor() end
   end

   function ArgMax:updateOutput(input)
      check.real(self, 'input', input)
      local dimension = input:dim() > self.nInputDim and self.dim + 1 or self.dim
      check.dimensions(self, 'input', input, dimension, 99)
      local _, indices = input:max(dimension)
      if input:dim() > 1 then indices = indices:select(dimension, 1) end
      self.output:resize(indices:size()):copy(indices)
      return self.output
   end

   -- Indices have no gradient.
   function ArgMax:updateGradInput(input)
      self.gradInput:resizeAs(input):zero()
      return self.gradInput
   end

   function ArgMax:type(name, cache)
      if not name then return self._type end
      parent.type(self, name, cache)
      if self.asLong then self.output = torch.LongTensor() end
      return self
   end
end

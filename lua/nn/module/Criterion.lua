-- nn.Criterion: the protocol of all criterions. `output` is the last loss, `gradInput` its gradient.

local torch = require 'torch'
local expect = require 'nn.checks.expect'

return function(Criterion, _, nn)

   function Criterion:__init()
      self.gradInput = torch.Tensor()
      self.output = 0
      self._type = self.gradInput:type()
   end

   function Criterion:updateOutput() end

   function Criterion:forward(input, target) return self:updateOutput(input, target) end

   function Criterion:backward(input, target) return self:updateGradInput(input, target) end

   function Criterion:updateGradInput() end

   function Criterion:clone() return (require 'nn.module.copy'(self)) end

   function Criterion:type(name, cache)
      expect.kind(self, 'type', name, 'string')
      cache = cache and expect.kind(self, 'cache', cache, 'table') or {}
      for key, value in pairs(self) do self[key] = nn.utils.recursiveType(value, name, cache) end
      self._type = name
      return self
   end

   function Criterion:float() return self:type 'torch.FloatTensor' end
   function Criterion:double() return self:type 'torch.DoubleTensor' end
   function Criterion:cuda() return self:type 'torch.CudaTensor' end
   function Criterion:cudaHalf() return self:type 'torch.CudaHalfTensor' end
   function Criterion:cudaDouble() return self:type 'torch.CudaDoubleTensor' end

   function Criterion:__call__(input, target)
      self.output = self:forward(input, target)
      self.gradInput = self:backward(input, target)
      return self.output, self.gradInput
   end

   function Criterion:__tostring__() return torch.type(self) end
end

-- nn.SpatialSubtractiveNormalization: subtracts the weighted mean of the neighbours in all planes.

local torch = require 'torch'
local expect, kernel = require 'nn.expect', require 'nn.kernel'
local local_mean = require 'nn.kernels.local_mean'

return function(Norm, parent, nn)

   function Norm:__init()
      self.kernel = local_mean.prepare(self, self.kernel or torch.Tensor(9, 9):fill(1), self.nInputPlane)
      -- For Torch7's methods, in files from here.
      self.meanestimator = local_mean.estimator(nn, self)
      self.subtractor, self.divider, self.coef = nn.CSubTable(), nn.CDivTable(), torch.Tensor(1, 1, 1)
   end

   function Norm:updateOutput(input)
      local k = kernel.of(self, input)
      local x = local_mean.batch(self, k.plain(input))
      local means = local_mean.apply(k, self, x:sum(2))
      means:cdiv(local_mean.coefficients(k, self, x, means))
      local y = self.output:resizeAs(x)
      torch.add(y, x, -1, means:expandAs(x))
      return y:resize(input:size())
   end

   function Norm:updateGradInput(input, gradOutput)
      if not self.gradInput then return end
      local k = kernel.of(self, input)
      local x = local_mean.batch(self, k.plain(input))
      expect.grad_output(self, k, gradOutput, input)
      local g = k.plain(gradOutput):viewAs(x)
      local sums = g:sum(2)
      sums:cdiv(local_mean.coefficients(k, self, x, sums))
      local back = local_mean.apply(k, self, sums, true)
      local r = self.gradInput:resizeAs(x)
      torch.add(r, g, -1, back:expandAs(x))
      return r:resize(input:size())
   end

   function Norm:clearState()
      local_mean.forget(self)
      nn.utils.clear(self, '_coef', 'ones', 'localsums', 'adjustedsums')
      return parent.clearState(self)
   end

end

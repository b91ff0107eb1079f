-- nn.SpatialSubtractiveNormalization: subtracts the weighted mean of the neighbours in all planes.

local torch = require 'torch'
local local_mean = require 'nn.kernels.local_mean'

return function(Norm, parent, nn)

   function Norm:__init()
      self.kernel = local_mean.prepare(self, self.kernel or torch.Tensor(9, 9):fill(1), self.nInputPlane)
      -- For Torch7's methods, in files from here.
      self.meanestimator = local_mean.estimator(nn, self)
      self.subtractor, self.divider, self.coef = nn.CSubTable(), nn.CDivTable(), torch.Tensor(1, 1, 1)
   end

   local function forward(k, self, x, y)
      local means = local_mean.apply(k, self, x:sum(2))
      means:cdiv(local_mean.coefficients(k, self, x, means))
      torch.add(y, x, -1, means:expandAs(x))
   end

   local function back(k, self, x, g, r)
      local sums = g:sum(2)
      sums:cdiv(local_mean.coefficients(k, self, x, sums))
      torch.add(r, g, -1, local_mean.apply(k, self, sums, true):expandAs(x))
   end

   local_mean.methods(Norm, parent, nn, forward, back, { '_coef', 'ones', 'localsums', 'adjustedsums' })
end

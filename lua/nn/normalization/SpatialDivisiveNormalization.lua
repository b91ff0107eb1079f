-- nn.SpatialDivisiveNormalization: divides by the weighted standard deviation of the neighbours in all planes, or by
-- `thresval` where that is not larger than `threshold`.

local torch = require 'torch'
local local_mean = require 'nn.kernels.local_mean'

return function(Norm, parent, nn)

   function Norm:__init()
      self.kernel = local_mean.prepare(self, self.kernel or torch.Tensor(9, 9):fill(1), self.nInputPlane)
      -- For Torch7's methods, in files from here.
      self.meanestimator, self.stdestimator = local_mean.estimator(nn, self), local_mean.estimator(nn, self, true)
      self.normalizer, self.divider, self.coef = nn.CDivTable(), nn.CDivTable(), torch.Tensor(1, 1, 1)
      self.thresholder = nn.Threshold(self.threshold, self.thresval)
   end

   -- The square roots of the means of squares, the divisors, and where these are above the threshold.
   local function deviations(self, k, x)
      local roots = local_mean.apply(k, self, torch.cmul(x, x):sum(2))
      roots:cmax(0):sqrt()
      local stds = torch.cdiv(roots, local_mean.coefficients(k, self, x, roots))
      local above = stds:gt(self.threshold):typeAs(stds)
      stds:cmul(above):add(torch.add(torch.mul(above, -self.thresval), self.thresval))
      return roots, stds, above
   end

   local function forward(k, self, x, y)
      local _, stds = deviations(self, k, x)
      torch.cdiv(y, x, stds:expandAs(x))
   end

   -- d/dx of x / std: through x, and through the squares under the root where std is above the threshold.
   local function back(k, self, x, g, r)
      local roots, stds, above = deviations(self, k, x)
      local sums = torch.cmul(g, x):sum(2):cdiv(torch.cmul(stds, stds)):cmul(above)
      roots:add(torch.add(torch.mul(above, -1), 1)):cmul(local_mean.coefficients(k, self, x, roots))
      local through_std = local_mean.apply(k, self, sums:cdiv(roots), true)
      torch.cdiv(r, g, stds:expandAs(x))
      r:add(-1, torch.cmul(x, through_std:expandAs(x)))
   end

   local_mean.methods(Norm, parent, nn, forward, back,
      { '_coef', 'ones', 'localstds', 'adjustedstds', 'thresholdedstds' })
end

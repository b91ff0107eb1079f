-- AdaGrad: rates that fall with the sum of squared gradients.

local state_of, updates = require 'optim.state_of', require 'optim.updates'
local fuse, scaled_step = updates.fuse, updates.scaled_step
local accumulate = fuse 'z = x + y * y'

return function(opfunc, x, config, state)
   config, state = state_of.open('adagrad', opfunc, x, config, state)
   local lr, lrd, wd = config.learningRate or 1e-3, config.learningRateDecay or 0, config.weightDecay or 0
   state.evalCounter = state.evalCounter or 0
   local nevals = state.evalCounter

   local fx, dfdx = state_of.evaluate('adagrad', opfunc, x, wd)

   -- Torch7 resumes from a state of a file only if it has `paramStd`.
   if not state.paramVariance then
      state.paramVariance, state.paramStd = state_of.zeros(dfdx), state_of.zeros(dfdx)
   end
   accumulate(state.paramVariance, state.paramVariance, dfdx)
   scaled_step(x, x, dfdx, state.paramVariance, -lr / (1 + nevals * lrd), 1e-10)
   state.evalCounter = nevals + 1
   return x, { fx }
end

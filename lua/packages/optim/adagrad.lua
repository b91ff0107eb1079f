-- AdaGrad: rates that fall with the sum of squared gradients.

local state_of, updates = require 'optim.state_of', require 'optim.updates'
local accumulate = updates.fuse 'z = x + y * y'

return function(opfunc, x, config, state)
   if config == nil and state == nil then _G.print 'no state table, ADAGRAD initializing' end
   config, state = state_of.open('adagrad', opfunc, x, config, state)
   local lr, lrd, wd = config.learningRate or 1e-3, config.learningRateDecay or 0, config.weightDecay or 0
   state.evalCounter = state.evalCounter or 0
   local nevals = state.evalCounter

   local fx, dfdx = state_of.evaluate('adagrad', opfunc, x, wd)

   state.paramVariance = state.paramVariance or state_of.zeros(dfdx)
   state.paramStd = state.paramStd or state_of.zeros(dfdx)
   accumulate(state.paramVariance, state.paramVariance, dfdx)
   updates.root(state.paramStd, state.paramVariance, 1e-10)
   updates.scaled_step(x, x, dfdx, state.paramStd, -lr / (1 + nevals * lrd))
   state.evalCounter = nevals + 1
   return x, { fx }
end

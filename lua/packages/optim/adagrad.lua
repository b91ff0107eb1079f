-- AdaGrad: rates that fall with the sum of squared gradients.

local state_of, sequence = require 'optim.state_of', require 'optim.sequence'

local update = sequence('x gradient variance deviation', [[
   variance = sum_of_squares(variance, gradient)
   deviation = root(variance, epsilon)
   x = scaled_step(x, gradient, deviation, rate)]])

return function(opfunc, x, config, state)
   if config == nil and state == nil then _G.print 'no state table, ADAGRAD initializing' end
   config, state = state_of.open('adagrad', opfunc, x, config, state)
   local lr, lrd, wd = config.learningRate or 1e-3, config.learningRateDecay or 0, config.weightDecay or 0
   state.evalCounter = state.evalCounter or 0
   local nevals = state.evalCounter

   local fx, dfdx = state_of.evaluate('adagrad', opfunc, x, wd)

   state.paramVariance = state.paramVariance or state_of.zeros(dfdx)
   state.paramStd = state.paramStd or state_of.zeros(dfdx)
   update(x, dfdx, state.paramVariance, state.paramStd, 1e-10, -lr / (1 + nevals * lrd))
   state.evalCounter = nevals + 1
   return x, { fx }
end

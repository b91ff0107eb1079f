-- RMSProp: gradients divided by the root of the running mean of their squares.

local state_of, updates = require 'optim.state_of', require 'optim.updates'

return function(opfunc, x, config, state)
   config, state = state_of.open('rmsprop', opfunc, x, config, state)
   local lr, alpha, epsilon = config.learningRate or 1e-2, config.alpha or 0.99, config.epsilon or 1e-8
   local wd, initial = config.weightDecay or 0, config.initialMean or 0

   local fx, dfdx = state_of.evaluate('rmsprop', opfunc, x, wd)

   state.m = state.m or state_of.zeros(dfdx):fill(initial)
   state.tmp = state.tmp or state_of.zeros(dfdx)
   updates.mean_of_squares(state.m, state.m, dfdx, alpha, 1 - alpha)
   updates.root(state.tmp, state.m, epsilon)
   updates.scaled_step(x, x, dfdx, state.tmp, -lr)
   return x, { fx }
end

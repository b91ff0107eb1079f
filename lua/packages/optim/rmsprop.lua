-- RMSProp: gradients divided by the root of the running mean of their squares.

local state_of, sequence = require 'optim.state_of', require 'optim.sequence'

local update = sequence('x gradient m deviation', [[
   m = mean_of_squares(m, gradient, alpha, rest)
   deviation = root(m, epsilon)
   x = scaled_step(x, gradient, deviation, rate)]])

return function(opfunc, x, config, state)
   config, state = state_of.open('rmsprop', opfunc, x, config, state)
   local lr, alpha, epsilon = config.learningRate or 1e-2, config.alpha or 0.99, config.epsilon or 1e-8
   local wd, initial = config.weightDecay or 0, config.initialMean or 0

   local fx, dfdx = state_of.evaluate('rmsprop', opfunc, x, wd)

   state.m = state.m or state_of.zeros(dfdx):fill(initial)
   state.tmp = state.tmp or state_of.zeros(dfdx)
   update(x, dfdx, state.m, state.tmp, alpha, 1 - alpha, epsilon, -lr)
   return x, { fx }
end

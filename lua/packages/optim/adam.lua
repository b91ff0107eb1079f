-- Adam: running means of gradients and of their squares.

local state_of, sequence = require 'optim.state_of', require 'optim.sequence'

local update = sequence('x gradient m v denom', [[
   m = mean(m, gradient, beta1, rest1)
   v = mean_of_squares(v, gradient, beta2, rest2)
   denom = root(v, epsilon)
   x = scaled_step(x, m, denom, rate)]])

return function(opfunc, x, config, state)
   config, state = state_of.open('adam', opfunc, x, config, state)
   local lr, lrd, wd = config.learningRate or 0.001, config.learningRateDecay or 0, config.weightDecay or 0
   local beta1, beta2, epsilon = config.beta1 or 0.9, config.beta2 or 0.999, config.epsilon or 1e-8

   local fx, dfdx = state_of.evaluate('adam', opfunc, x, wd)

   state.t = state.t or 0
   state.m, state.v = state.m or state_of.zeros(dfdx), state.v or state_of.zeros(dfdx)
   state.denom = state.denom or state_of.zeros(dfdx)
   local clr = lr / (1 + state.t * lrd)
   state.t = state.t + 1
   -- Both means start at 0, which is corrected for.
   local correction1, correction2 = 1 - beta1 ^ state.t, 1 - beta2 ^ state.t
   update(x, dfdx, state.m, state.v, state.denom, beta1, 1 - beta1, beta2, 1 - beta2, epsilon,
      -clr * math.sqrt(correction2) / correction1)
   return x, { fx }
end

-- Averaged stochastic gradient descent. Also returns the average.

local state_of = require 'optim.state_of'

return function(opfunc, x, config, state)
   config, state = state_of.open('asgd', opfunc, x, config, state)
   config.eta0, config.lambda = config.eta0 or 1e-4, config.lambda or 1e-4
   config.alpha, config.t0 = config.alpha or 0.75, config.t0 or 1e6
   state.eta_t, state.mu_t, state.t = state.eta_t or config.eta0, state.mu_t or 1, state.t or 0

   local fx, dfdx = state_of.evaluate('asgd', opfunc, x)

   x:mul(1 - config.lambda * state.eta_t)
   x:add(-state.eta_t, dfdx)

   state.ax, state.tmp = state.ax or state_of.zeros(x), state.tmp or state_of.zeros(x)
   if state.mu_t ~= 1 then
      state.tmp:copy(x):add(-1, state.ax):mul(state.mu_t)
      state.ax:add(state.tmp)
   else
      state.ax:copy(x)
   end

   state.t = state.t + 1
   state.eta_t = config.eta0 / (1 + config.lambda * config.eta0 * state.t) ^ config.alpha
   state.mu_t = 1 / math.max(1, state.t - config.t0)
   return x, { fx }, state.ax
end

-- Adam: running means of gradients and of their squares.

local state_of, fuse = require 'optim.state_of', require 'optim.fuse'
local scaled_step = require 'optim.scaled_step'
local mean = fuse 'a = multiply x v; b = multiply y u; z = add a b'
local mean_of_squares = fuse 'a = multiply x v; b = multiply y y; b = multiply b u; z = add a b'

return function(opfunc, x, config, state)
   config, state = state_of.open('adam', opfunc, x, config, state)
   local lr, lrd, wd = config.learningRate or 0.001, config.learningRateDecay or 0, config.weightDecay or 0
   local beta1, beta2, epsilon = config.beta1 or 0.9, config.beta2 or 0.999, config.epsilon or 1e-8

   local fx, dfdx = state_of.evaluate('adam', opfunc, x)
   if wd ~= 0 then dfdx:add(wd, x) end

   state.t = state.t or 0
   state.m, state.v = state.m or state_of.zeros(dfdx), state.v or state_of.zeros(dfdx)
   local clr = lr / (1 + state.t * lrd)
   state.t = state.t + 1
   mean(state.m, state.m, dfdx, beta1, 1 - beta1)
   mean_of_squares(state.v, state.v, dfdx, beta2, 1 - beta2)
   -- Both means begin at 0, which is made up for.
   local correction1, correction2 = 1 - beta1 ^ state.t, 1 - beta2 ^ state.t
   scaled_step(x, x, state.m, state.v, -clr * math.sqrt(correction2) / correction1, epsilon)
   return x, { fx }
end

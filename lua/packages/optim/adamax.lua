-- AdaMax: Adam with the largest recent gradient instead of the mean of squares.

local state_of, sequence = require 'optim.state_of', require 'optim.sequence'

local update = sequence('x gradient m u before now', [[
   m = mean(m, gradient, beta1, rest1)
   before = scaled(u, beta2)
   now = magnitude(gradient, epsilon)
   u = larger(before, now)
   x = scaled_step(x, m, u, rate)]])

return function(opfunc, x, config, state)
   config, state = state_of.open('adamax', opfunc, x, config, state)
   local lr, beta1, beta2 = config.learningRate or 0.002, config.beta1 or 0.9, config.beta2 or 0.999
   local epsilon, wd = config.epsilon or 1e-38, config.weightDecay or 0

   local fx, dfdx = state_of.evaluate('adamax', opfunc, x, wd)

   state.t = (state.t or 0) + 1
   if not (state.m and state.u and state.max) then
      local sizes = dfdx:size():totable()
      state.m, state.u = state.m or state_of.zeros(dfdx), state.u or dfdx.new(1, unpack(sizes)):zero()
      state.max = state.max or dfdx.new(2, unpack(sizes)):zero()
   end
   -- A view of u, which has one dimension more: otherwise x would get it where tensors are broadcast.
   update(x, dfdx, state.m, state.u:viewAs(dfdx), state.max[1], state.max[2], beta1, 1 - beta1, beta2, epsilon,
      -lr / (1 - beta1 ^ state.t))
   return x, { fx }
end

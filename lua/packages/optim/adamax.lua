-- AdaMax: Adam with the largest recent gradient instead of the mean of squares.

local state_of, updates = require 'optim.state_of', require 'optim.updates'
local fuse, mean = updates.fuse, updates.mean
local largest = fuse 'z = maximum(x * v, absolute(y) + u)'
local step = fuse 'z = x + y * v / w'

return function(opfunc, x, config, state)
   config, state = state_of.open('adamax', opfunc, x, config, state)
   local lr, beta1, beta2 = config.learningRate or 0.002, config.beta1 or 0.9, config.beta2 or 0.999
   local epsilon, wd = config.epsilon or 1e-38, config.weightDecay or 0

   local fx, dfdx = state_of.evaluate('adamax', opfunc, x, wd)

   state.t = (state.t or 0) + 1
   state.m, state.u = state.m or state_of.zeros(dfdx), state.u or state_of.zeros(dfdx)
   -- For Torch7, which continues states of this library and computes u from both rows.
   state.max = state.max or dfdx.new(2, unpack(dfdx:size():totable())):zero()
   mean(state.m, state.m, dfdx, beta1, 1 - beta1)
   largest(state.u, state.u, dfdx, beta2, epsilon)
   step(x, x, state.m, state.u, -lr / (1 - beta1 ^ state.t))
   return x, { fx }
end

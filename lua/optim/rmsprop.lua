-- RMSProp: gradients divided by the root of the running mean of their squares.

local state_of, fuse = require 'optim.state_of', require 'optim.fuse'
local scaled_step = require 'optim.scaled_step'
local mean_of_squares = fuse 'a = multiply x v; b = multiply y y; b = multiply b u; z = add a b'

return function(opfunc, x, config, state)
   config, state = state_of.open('rmsprop', opfunc, x, config, state)
   local lr, alpha, epsilon = config.learningRate or 1e-2, config.alpha or 0.99, config.epsilon or 1e-8
   local wd, initial = config.weightDecay or 0, config.initialMean or 0

   local fx, dfdx = state_of.evaluate('rmsprop', opfunc, x)
   if wd ~= 0 then dfdx:add(wd, x) end

   -- Torch7 goes on with a state from a file only if there is `tmp`.
   if not state.m then
      state.m, state.tmp = state_of.zeros(dfdx):fill(initial), state_of.zeros(dfdx)
   end
   mean_of_squares(state.m, state.m, dfdx, alpha, 1 - alpha)
   scaled_step(x, x, dfdx, state.m, -lr, epsilon)
   return x, { fx }
end

-- AdaDelta: steps as large as the running mean of earlier ones.

local state_of, updates = require 'optim.state_of', require 'optim.updates'
local fuse, mean = updates.fuse, updates.mean_of_squares
local deviation = fuse 'z = sqrt(x + v)'
local change = fuse 'z = sqrt(x + v) / y * w'

return function(opfunc, x, config, state)
   if config == nil and state == nil then _G.print 'no state table, ADADELTA initializing' end
   config, state = state_of.open('adadelta', opfunc, x, config, state)
   local rho, eps, wd = config.rho or 0.9, config.eps or 1e-6, config.weightDecay or 0
   state.evalCounter = state.evalCounter or 0

   local fx, dfdx = state_of.evaluate('adadelta', opfunc, x, wd)

   if not state.paramVariance then
      for _, name in ipairs { 'paramVariance', 'paramStd', 'delta', 'accDelta' } do
         state[name] = state_of.zeros(dfdx)
      end
   end
   mean(state.paramVariance, state.paramVariance, dfdx, rho, 1 - rho)
   deviation(state.paramStd, state.paramVariance, eps)
   change(state.delta, state.accDelta, state.paramStd, dfdx, eps)
   x:add(-1, state.delta)
   mean(state.accDelta, state.accDelta, state.delta, rho, 1 - rho)
   state.evalCounter = state.evalCounter + 1
   return x, { fx }
end

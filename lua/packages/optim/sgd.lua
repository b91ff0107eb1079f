-- Stochastic gradient descent with momentum and Nesterov's variant; rates and decays for all or each
-- parameter.

local errors, warn = require 'torch.base.errors', require 'torch.base.warn'
local state_of, updates = require 'optim.state_of', require 'optim.updates'

return function(opfunc, x, config, state)
   config, state = state_of.open('sgd', opfunc, x, config, state)
   local lr, lrd = config.learningRate or 1e-3, config.learningRateDecay or 0
   local wd, mom = config.weightDecay or 0, config.momentum or 0
   local damp, nesterov = config.dampening or mom, config.nesterov or false
   local lrs = state_of.rates('sgd', 'learningRates', config, x)
   local wds = state_of.rates('sgd', 'weightDecays', config, x)
   state.evalCounter = state.evalCounter or 0
   local nevals = state.evalCounter
   if nesterov and not (mom > 0 and damp == 0) then
      errors.raise('sgd: nesterov needs a momentum above 0 and a dampening of 0 (got %g and %g)', mom, damp)
   end
   if wd ~= 0 and wds then warn.once('sgd: weightDecays have no effect beside weightDecay') end

   local fx, dfdx = state_of.evaluate('sgd', opfunc, x)

   if wd ~= 0 then
      dfdx:add(wd, x)
   elseif wds then
      state.decayParameters = state.decayParameters or x.new()
      dfdx:add(state.decayParameters:resizeAs(dfdx):cmul(wds, x))
   end

   if mom ~= 0 then
      if not state.dfdx then
         state.dfdx = dfdx.new():resizeAs(dfdx):copy(dfdx)
      else
         updates.mean(state.dfdx, state.dfdx, dfdx, mom, 1 - damp)
      end
      if nesterov then dfdx:add(mom, state.dfdx) else dfdx = state.dfdx end
   end

   local clr = lr / (1 + nevals * lrd)
   if lrs then
      state.deltaParameters = state.deltaParameters or x.new():resizeAs(dfdx)
      x:add(-clr, state.deltaParameters:cmul(lrs, dfdx))
   else
      x:add(-clr, dfdx)
   end
   state.evalCounter = nevals + 1
   return x, { fx }
end

-- Nesterov's accelerated gradient: a step along the momentum first, then the gradient from there.

local errors, warn, state_of = require 'torch.base.errors', require 'torch.base.warn', require 'optim.state_of'

return function(opfunc, x, config, state)
   config, state = state_of.open('nag', opfunc, x, config, state)
   local lr, lrd = config.learningRate or 1e-3, config.learningRateDecay or 0
   local wd, mom = config.weightDecay or 0, config.momentum or 0.9
   local lrs = state_of.rates('nag', 'learningRates', config, x)
   if config.weightDecays then warn.once('nag: weightDecays have no effect') end
   state.evalCounter = state.evalCounter or 0
   local nevals = state.evalCounter
   if mom <= 0 then errors.raise('nag: momentum must be > 0 (got %g)', mom) end

   if state.dfdx then x:add(mom, state.dfdx) end
   local fx, dfdx = state_of.evaluate('nag', opfunc, x)

   if wd ~= 0 then dfdx:add(wd, x) end

   local clr = lr / (1 + nevals * lrd)
   if not state.dfdx then
      state.dfdx = state_of.zeros(dfdx)
   else
      state.dfdx:mul(mom)
   end
   if lrs then
      state.deltaParameters = state.deltaParameters or x.new():resizeAs(dfdx)
      state.deltaParameters:cmul(lrs, dfdx)
      x:add(-clr, state.deltaParameters)
      state.dfdx:add(-clr, state.deltaParameters)
   else
      x:add(-clr, dfdx)
      state.dfdx:add(-clr, dfdx)
   end
   state.evalCounter = nevals + 1
   return x, { fx }
end

-- RProp: a step size for each parameter, which grows while the sign of its gradient stays and shrinks when it
-- changes.

local check = require 'torch.base.check'
local state_of, fuse = require 'optim.state_of', require('optim.updates').fuse
local signs = fuse 'z = sign(x * y)'
-- Times etaplus where the sign is 1, etaminus where it is -1.
local scale = fuse('z = x * (maximum(y, 0) * v - minimum(y, 0) * u + (1 - absolute(y)))')
local limit = fuse 'z = maximum(minimum(x, v), u)'
local keep = fuse 'z = minimum(y + 1, 1) * x'
local step = fuse 'z = x - sign(y) * w'

return function(opfunc, x, config, state)
   if config == nil and state == nil then _G.print 'no state table RPROP initializing' end
   config, state = state_of.open('rprop', opfunc, x, config, state)
   local stepsize, etaplus, etaminus = config.stepsize or 0.1, config.etaplus or 1.2, config.etaminus or 0.5
   local largest, smallest = config.stepsizemax or 50, config.stepsizemin or 1e-6
   local hfx = {}
   for i = 1, config.niter or 1 do
      local fx, dfdx = state_of.evaluate('rprop', opfunc, x)
      hfx[i] = fx
      if not state.delta then
         state.delta, state.sign = state_of.zeros(dfdx), state_of.zeros(dfdx)
         state.stepsize = state_of.zeros(dfdx):fill(check.number('rprop', 'config.stepsize', stepsize))
      end
      signs(state.sign, dfdx, state.delta)
      -- Programs read the elements whose sign stayed, changed, or was zero, and whose step was too small.
      state.psign, state.nsign, state.zsign = state.sign:gt(0), state.sign:lt(0), state.sign:eq(0)
      scale(state.stepsize, state.stepsize, state.sign, etaplus, etaminus)
      state.dminmax = state.stepsize:lt(smallest)
      limit(state.stepsize, state.stepsize, largest, smallest)
      -- Where the sign changed there is no step this time.
      keep(dfdx, dfdx, state.sign)
      step(x, x, dfdx, state.stepsize)
      state.sign:sign(dfdx)
      state.delta:copy(dfdx)
   end
   return x, hfx
end

-- Compares a gradient with finite differences.

local torch = require 'torch'
local check, state_of = require 'torch.base.check', require 'optim.state_of'

-- The relative difference of the gradient of opfunc at x and central differences with a step eps; then both.
return function(opfunc, x, eps)
   state_of.open('checkgrad', opfunc, x)
   local _, gradient = state_of.evaluate('checkgrad', opfunc, x)
   gradient = gradient:clone()
   eps = check.number('checkgrad', 'eps', eps or 1e-7)
   local estimate = gradient.new():resizeAs(gradient)
   local from, to = x:contiguous():view(-1), estimate:view(-1)
   local alias = x:isContiguous()
   for i = 1, x:nElement() do
      local before = from[i]
      from[i] = before + eps
      if not alias then x:copy(from) end
      local above = state_of.value('checkgrad', (opfunc(x)))
      from[i] = from[i] - 2 * eps
      if not alias then x:copy(from) end
      local below = state_of.value('checkgrad', (opfunc(x)))
      from[i] = before
      if not alias then x:copy(from) end
      to[i] = (above - below) / (2 * eps)
   end
   local difference = torch.norm(gradient - estimate) / torch.norm(gradient + estimate)
   return difference, gradient, estimate
end

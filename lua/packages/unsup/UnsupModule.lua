-- unsup.UnsupModule: the base of modules whose output is a loss, so that updateOutput(input, target) takes a target.
-- Also x:shrinkage(lambda) of tensors.

local torch = require 'torch'
local check = require 'torch.base.check'

-- Moves the elements of a tensor towards 0 by a number, in place; those that reach it become 0, never -0.
local function shrinkage(x, lambda)
   if check.number('shrinkage', 'lambda', lambda) < 0 then
      check.argument_error('shrinkage', 'lambda', 'at least 0', lambda)
   end
   if lambda == 0 then return x end
   return x:copy(torch.cmax(x - lambda, 0):add(torch.cmin(x + lambda, 0)))
end

return function(unsup)
   local UnsupModule, parent = torch.class('unsup.UnsupModule', 'nn.Module', unsup)

   for _, kind in ipairs { 'Float', 'Double' } do torch[kind .. 'Tensor'].shrinkage = shrinkage end

   function UnsupModule:__init() parent.__init(self) end

   function UnsupModule:normalize() check.fail(self, 'each class must have its normalize (got none)') end
end

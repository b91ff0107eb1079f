-- Initial values of parameters, in the order in which Torch7 draws them.

local torch = require 'torch'
local check = require 'torch.base.check'

local initialization = {}

-- The bound of the uniform distribution: 1/sqrt(inputs), or that of the standard deviation `stdv`, if given.
function initialization.bound(module, stdv, inputs)
   if not stdv then return 1 / math.sqrt(inputs) end
   return check.number(module, 'stdv', stdv) * math.sqrt(3)
end

-- Draws weight and bias from a uniform distribution between -bound and bound.
function initialization.uniform(nn, module, stdv, inputs)
   local bound = initialization.bound(module, stdv, inputs)
   for _, name in ipairs { 'weight', 'bias' } do
      local t = module[name]
      if t and nn.oldSeed then
         t:apply(function() return torch.uniform(-bound, bound) end)
      elseif t then
         t:uniform(-bound, bound)
      end
   end
end

return initialization

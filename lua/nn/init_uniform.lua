-- init_uniform(nn, module, stdv, inputs): draws weight and bias from -1/sqrt(inputs) to 1/sqrt(inputs), in the order
-- of Torch7, or from a uniform distribution with the standard deviation `stdv`.

local torch = require 'torch'
local uniform_bound = require 'nn.uniform_bound'

return function(nn, module, stdv, inputs)
   stdv = uniform_bound(module, stdv, inputs)
   for _, name in ipairs { 'weight', 'bias' } do
      local t = module[name]
      if t and nn.oldSeed then
         t:apply(function() return torch.uniform(-stdv, stdv) end)
      elseif t then
         t:uniform(-stdv, stdv)
      end
   end
end

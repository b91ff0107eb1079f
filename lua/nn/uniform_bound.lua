-- The bound of the uniform distribution that parameters are initialized from.

local check = require 'torch.base.check'

-- 1/sqrt(inputs), or the bound for the standard deviation `stdv`, where a program gives one.
return function(module, stdv, inputs)
   if not stdv then return 1 / math.sqrt(inputs) end
   return check.number(module, 'stdv', stdv) * math.sqrt(3)
end

-- instance_of('nn.Module', who, what, value) raises unless a value is an object of a class, and returns it; see
-- torch/base/check.lua for `who` and `what`.

local torch = require 'torch'
local check = require 'torch.base.check'

local SHORT = { ['nn.Module'] = 'a module', ['nn.Criterion'] = 'a criterion' }

return function(class, who, what, value)
   if not torch.isTypeOf(value, class) then check.refuse(who, what, SHORT[class] or 'an ' .. class, value) end
   return value
end

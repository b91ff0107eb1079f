-- instance_of('nn.Module', caller, what, value) raises unless a value is an object of a class, and returns it;
-- `caller` and `what` are those of torch/base/check.lua.

local torch = require 'torch'
local check = require 'torch.base.check'

local SHORT = { ['nn.Module'] = 'a module', ['nn.Criterion'] = 'a criterion' }

return function(class, caller, what, value)
   if not torch.isTypeOf(value, class) then
      check.argument_error(caller, what, SHORT[class] or 'an ' .. class, value)
   end
   return value
end

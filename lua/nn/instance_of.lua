-- instance_of('nn.Module', function_name, what, value) raises unless a value is an object of a class, and returns it;
-- see torch/base/check.lua for `function_name` and `what`.

local torch = require 'torch'
local check = require 'torch.base.check'

local SHORT = { ['nn.Module'] = 'a module', ['nn.Criterion'] = 'a criterion' }

return function(class, function_name, what, value)
   if not torch.isTypeOf(value, class) then
      check.argument_error(function_name, what, SHORT[class] or 'an ' .. class, value)
   end
   return value
end

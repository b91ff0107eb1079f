-- Helpers for the state of optimisers.

local type = type
local errors, torch = require 'torch.core.errors', require 'torch'

local state = {}

-- Checks the arguments that all methods have in common, and gives config and state, which is config by
-- default.
function state.open(name, opfunc, x, config, own)
   if type(opfunc) ~= 'function' and type(opfunc) ~= 'table' then
      errors.raise('%s: function of x expected as argument 1 (got %s)', name, errors.describe(opfunc))
   end
   if not torch.isTensor(x) then
      errors.raise('%s: tensor expected as argument 2, x (got %s)', name, errors.describe(x))
   end
   config = config or {}
   return config, own or config
end

-- Calls opfunc and checks what it gives.
function state.evaluate(name, opfunc, x)
   local value, gradient = opfunc(x)
   if not torch.isTensor(gradient) or gradient:nElement() ~= x:nElement() then
      errors.raise('%s: gradient of %d elements expected as the second result of the function (got %s)', name,
         x:nElement(), torch.isTensor(gradient) and ('%d elements'):format(gradient:nElement())
         or errors.describe(gradient))
   end
   return value, gradient
end

-- A tensor of zeros like another one.
function state.zeros(like) return like.new():resizeAs(like):zero() end

return state

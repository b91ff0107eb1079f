-- Functions of Python on tensors and numbers: call('cephes.gamma', x) runs the function `gamma` of the table that
-- t7shell/packages/arrays has for cephes. Tensors are copied to Python and back, numbers stay numbers.

local host = require('torch.native.host').of 'arrays'
local check, types = require 'torch.base.check', require 'torch.base.types'
local exchange = require 'torch.utility.exchange'

local array_calls = {}

function array_calls.call(name, ...)
   local given = { ... }
   for i = 1, select('#', ...) do
      if not types.of_tensor(given[i]) and type(given[i]) ~= 'number' and type(given[i]) ~= 'string' then
         check.argument_error(name, 'argument ' .. i, 'a tensor or a number', given[i])
      end
   end
   local reader, why = host.call(name, exchange.to(given, name))
   if not reader then check.fail(name, '%s', why) end
   return exchange.from(reader)
end

-- Checks that `count` numbers and tensors of the same size were given, and converts strings to numbers. Returns the
-- last tensor, nil if there are only numbers. `what` is how errors of the function `name` call an argument.
function array_calls.check_arguments(name, what, given, count)
   if #given ~= count then
      check.fail(name, 'needs %d %s%s, after a tensor for the result or none (got %d)', count, what,
         count == 1 and '' or 's', #given)
   end
   local tensor
   for i, value in ipairs(given) do
      if not types.of_tensor(value) then
         given[i] = check.number(name, what .. ' ' .. i, value)
      else
         if tensor then check.same_size(name, what .. ' ' .. i, value, tensor) end
         tensor = value
      end
   end
   return tensor
end

function array_calls.copy_to(target, value)
   if types.of_tensor(value) then return target:resize(value:size()):copy(value) end
   return target:fill(value)
end

return array_calls

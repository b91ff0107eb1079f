-- Errors of modules, and checks that raise them: 'Linear(10 -> 5): problem (got X)'.

local concat, format, tostring, type = table.concat, string.format, tostring, type
local ipairs, pcall, sub, gsub, match, select = ipairs, pcall, string.sub, string.gsub, string.match, select
local torch = require 'torch'
local errors, geometry, types = require 'torch.core.errors', require 'torch.core.geometry', require 'torch.core.types'
local finish_trace = require('torch.core.trace').finish
local of_tensor = types.of_tensor

local check = {}

-- The short name of a module for messages: 'Linear(10 -> 5)', of containers 'Sequential'.
function check.name(module)
   local class = torch.typename(module)
   if not class then return tostring(module) end
   local short = gsub(class, '^nn%.', '')
   if module.modules then return short end
   local fine, text = pcall(tostring, module)
   if not fine or type(text) ~= 'string' then return short end
   text = gsub(match(text, '^[^\n]*'), '^nn%.', '')
   return #text <= 80 and sub(text, 1, #short) == short and text or short
end

-- What a value is, with sizes: 'DoubleTensor of size 2x3'.
function check.describe(value)
   local T = of_tensor(value)
   if T then
      return T.name .. 'Tensor' .. (value._dim == 0 and ' without elements' or ' of size ' .. geometry.shape(value))
   end
   if type(value) == 'table' and not torch.typename(value) then
      local parts = {}
      for i, item in ipairs(value) do
         parts[i] = i > 4 and '...' or check.describe(item)
         if i > 4 then break end
      end
      return 'table {' .. concat(parts, ', ') .. '}'
   end
   if type(value) == 'number' or type(value) == 'boolean' then return tostring(value) end
   return errors.describe(value)
end

-- Raises 'name of the module: message', at the caller's line.
function check.fail(module, message, ...)
   finish_trace()
   if select('#', ...) > 0 then message = format(message, ...) end
   errors.raise('%s: %s', check.name(module), message)
end
local fail, describe = check.fail, check.describe

-- Raises unless a value is a tensor.
function check.tensor(module, x, what)
   if not of_tensor(x) then fail(module, '%s expected to be a tensor (got %s)', what or 'input', describe(x)) end
   return x
end

-- Raises unless a value is a table that is no object.
function check.table(module, x, what)
   if type(x) ~= 'table' or torch.typename(x) then
      fail(module, '%s expected to be a table (got %s)', what or 'input', describe(x))
   end
   return x
end

-- Raises unless two tensors have as many elements.
function check.same_count(module, x, y, what)
   if geometry.count(x) ~= geometry.count(y) then
      fail(module, '%s of %s expected (got %s)', what or 'gradOutput', describe(x), describe(y))
   end
end

-- Raises unless gradOutput is a tensor of the type of k with the sizes of `output`, which forward left.
function check.grad_output(module, k, g, output)
   if not k.is(g) then fail(module, 'gradOutput of type %s expected (got %s)', k.TYPE, describe(g)) end
   if not k.is(output) then fail(module, 'forward expected before backward') end
   if not geometry.same_size(g, output) then
      if geometry.count(output) == 0 then fail(module, 'forward expected before backward') end
      fail(module, 'gradOutput of the size of the output expected, %s (got %s)', geometry.shape(output), describe(g))
   end
end

check.shape = geometry.shape

return check

-- Checks of the inputs and fields of modules, whose errors read 'Linear(10 -> 5): problem (got X)'. Includes the
-- functions of torch/base/check.lua.

local select, setmetatable, type = select, setmetatable, type
local torch = require 'torch'
local check, geometry = require 'torch.base.check', require 'torch.base.geometry'
local class_registry, types = require 'torch.base.class_registry', require 'torch.base.types'
local format = string.format
local of_storage, of_tensor = types.of_storage, types.of_tensor

local expect = setmetatable({ shape = geometry.shape }, { __index = check })
local describe, fail, argument_error = check.describe, check.fail, check.argument_error

-- Raises unless a value is a boolean.
function expect.flag(module, what, value)
   if type(value) ~= 'boolean' then argument_error(module, what, 'true or false', value) end
   return value
end

-- Raises unless a value is a tensor.
function expect.tensor(module, x, what)
   if not of_tensor(x) then argument_error(module, what or 'input', 'a tensor', x) end
   return x
end

local SHORT = { ['nn.Module'] = 'a module', ['nn.Criterion'] = 'a criterion' }

-- Raises unless a value is an object of a class, and returns it.
function expect.instance_of(class, caller, what, value)
   if not torch.isTypeOf(value, class) then argument_error(caller, what, SHORT[class] or 'an ' .. class, value) end
   return value
end

-- Raises unless a value has updateOutput, as modules and criterions have, and returns it.
function expect.updates_output(function_name, what, value)
   if type(value) ~= 'table' or type(value.updateOutput) ~= 'function' then
      argument_error(function_name, what, 'a module', value)
   end
   return value
end

-- Raises unless a value can be given to `method` of a container: it has the methods of a module.
function expect.module(container, method, value)
   if type(container) ~= 'table' or not container.modules then
      fail(method, 'self must be a container (got %s); a method of net is called as net:%s(module)',
         describe(container), method)
   end
   expect.updates_output(container, method .. ': argument 1', value)
end

-- Raises unless a value is a tensor of the type of the module.
function expect.own(module, x, what)
   local T, name = of_tensor(x), module._type
   if not T or T.tensor_name ~= name and name ~= nil then
      if name ~= nil and type(name) ~= 'string' then argument_error(module, '_type', 'the name of a type', name) end
      argument_error(module, what or 'input', 'a ' .. (name or 'tensor'), x)
   end
   return x
end

-- Raises unless a value is a table that is not an object.
function expect.table(module, x, what)
   return check.kind(module, what or 'input', x, 'table')
end

-- Raises unless a value has parts: a table that is not an object, or a tensor, whose parts are its rows.
function expect.parts(module, x, what)
   if of_tensor(x) then return x end
   return expect.table(module, x, what)
end

-- A new LongStorage from sizes given as numbers, or as one storage or table.
function expect.sizes(module, ...)
   local first = ...
   local list = { ... }
   if select('#', ...) == 1 then
      if of_storage(first) then return torch.LongStorage(#first):copy(first) end
      if type(first) == 'table' and not class_registry.typename(first) then list = first end
   end
   local count = list == first and #first or select('#', ...)
   if count == 0 then fail(module, 'sizes must be given (got none)') end
   local sizes = torch.LongStorage(count)
   for d = 1, count do sizes[d] = check.integer(module, 'size ' .. d, list[d]) end
   return sizes
end

-- The tensors of an input { batch, classes }: rows of `columns` elements, of the type of the module's weight, and one
-- class per row. Raises for other inputs.
function expect.batch_and_classes(module, input, columns)
   check.kind(module, 'input', input, 'table')
   local x, target, kind = input[1], input[2], module.weight:type()
   check.tensor(module, 'input[1]', x)
   check.tensor(module, 'input[2]', target)
   if x:dim() ~= 2 or x:size(2) ~= columns or x:type() ~= kind then
      argument_error(module, 'input[1]', format('a %s of size batch x %d', kind, columns), x)
   end
   if target:dim() ~= 1 or target:size(1) ~= x:size(1) then
      argument_error(module, 'input[2]', format('a tensor of %d classes', x:size(1)), target)
   end
   return x, target
end

-- Raises unless two tensors have the same number of elements.
function expect.same_count(module, x, y, what)
   expect.tensor(module, x)
   expect.tensor(module, y, what or 'gradOutput')
   if geometry.numel(x) ~= geometry.numel(y) then
      local wanted = format('a tensor of %.0f elements, as %s', geometry.numel(x), describe(x))
      argument_error(module, what or 'gradOutput', wanted, y)
   end
end

-- Returns an input of vectors of n elements, or of a single one, as a matrix of the module's type. Raises for others.
function expect.vectors(module, input, n)
   local dims = expect.own(module, input):dim()
   if dims ~= 1 and dims ~= 2 or input:size(dims) ~= n then
      fail(module, 'input must be of size %d, or batch x %d (got %s)', n, n, describe(input))
   end
   return input:contiguous():view(dims == 2 and input:size(1) or 1, n)
end

-- Raises unless the input is a matrix whose rows have n elements.
function expect.rows(module, input, n)
   if not of_tensor(input) or input:dim() ~= 2 or input:size(2) ~= n then
      fail(module, 'input must be of size n x %d (got %s)', n, describe(input))
   end
end

-- Returns a gradOutput with rows * columns elements as a matrix. Raises for others.
function expect.gradient_rows(module, gradOutput, rows, columns)
   if not of_tensor(gradOutput) or gradOutput:nElement() ~= rows * columns then
      fail(module, 'gradOutput must be of size %dx%d (got %s)', rows, columns, describe(gradOutput))
   end
   return gradOutput:contiguous():view(rows, columns)
end

-- Raises unless gradOutput is a tensor of the type of k with the sizes of `output`, which forward computed.
function expect.grad_output(module, k, g, output)
   if not k.is(g) then argument_error(module, 'gradOutput', 'a ' .. k.TYPE, g) end
   if not k.is(output) or geometry.numel(output) == 0 then fail(module, 'backward called before forward') end
   if not geometry.same_size(g, output) then
      argument_error(module, 'gradOutput', 'a tensor of the size of the output, [' .. geometry.shape(output) .. ']', g)
   end
end

return expect

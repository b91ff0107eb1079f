-- Checks of modules' inputs, over torch.core.check: 'Linear(10 -> 5): problem (got X)'.

local select, type = select, type
local torch = require 'torch'
local core, geometry = require 'torch.core.check', require 'torch.core.geometry'
local class, types = require 'torch.core.class_registry', require 'torch.core.types'
local of_storage, of_tensor = types.of_storage, types.of_tensor

local check = { name = core.name, describe = core.describe, fail = core.fail, shape = geometry.shape }
local fail, describe = check.fail, check.describe

-- Raises unless a value is a tensor.
function check.tensor(module, x, what)
   if not of_tensor(x) then fail(module, 'tensor expected as %s (got %s)', what or 'input', describe(x)) end
   return x
end

-- Raises unless a value can be added to a container: it has the methods of a module.
function check.module(container, value)
   if type(container) ~= 'table' or not container.modules then
      fail('add', 'container expected as self (got %s); a method of net is called as net:add(module)',
         describe(container))
   end
   if type(value) ~= 'table' or type(value.updateOutput) ~= 'function' then
      fail(container, 'add: module expected as argument 1 (got %s)', describe(value))
   end
end

-- Raises unless a value is a file of objects: `method` of it is called.
function check.file(module, file, method) return core.file(module, 'file', file, method) end

-- Raises unless a value is a tensor of the type of the module.
function check.own(module, x, what)
   local T, name = of_tensor(x), module._type
   if not T or T.tensor_name ~= name and name ~= nil then
      fail(module, '%s expected as %s (got %s)', name or 'tensor', what or 'input', describe(x))
   end
   return x
end

-- Raises unless a value is a table that is no object.
function check.table(module, x, what)
   if type(x) ~= 'table' or class.typename(x) then
      fail(module, 'table expected as %s (got %s)', what or 'input', describe(x))
   end
   return x
end

-- A LongStorage of sizes that are given as numbers, or as one storage or table; a copy of it.
function check.sizes(module, ...)
   local first = ...
   local list = { ... }
   if select('#', ...) == 1 then
      if of_storage(first) then return torch.LongStorage(#first):copy(first) end
      if type(first) == 'table' and not class.typename(first) then list = first end
   end
   local count = list == first and #first or select('#', ...)
   if count == 0 then fail(module, 'sizes expected (got none)') end
   local sizes = torch.LongStorage(count)
   for d = 1, count do sizes[d] = core.integer(module, 'size ' .. d, list[d]) end
   return sizes
end

-- The tensors of an input { batch, classes }: rows of so many columns, of the type of the module's weight, and a class
-- for each. Raises for others.
function check.batch_and_classes(module, input, columns)
   core.kind(module, 'input', input, 'table')
   local x, target, kind = input[1], input[2], module.weight:type()
   core.tensor(module, 'input[1]', x)
   core.tensor(module, 'input[2]', target)
   if x:dim() ~= 2 or x:size(2) ~= columns or x:type() ~= kind then
      fail(module, 'batch x %d of type %s expected as input[1] (got %s)', columns, kind, describe(x))
   end
   if target:dim() ~= 1 or target:size(1) ~= x:size(1) then
      fail(module, '%d classes expected as input[2] (got %s)', x:size(1), describe(target))
   end
   return x, target
end

-- Raises unless two tensors have as many elements.
function check.same_count(module, x, y, what)
   check.tensor(module, x)
   check.tensor(module, y, what or 'gradOutput')
   if geometry.count(x) ~= geometry.count(y) then
      fail(module, '%s of %.0f elements expected, as %s (got %s)', what or 'gradOutput', geometry.count(x), describe(x),
         describe(y))
   end
end

-- Raises unless gradOutput is a tensor of the type of k with the sizes of `output`, which forward left.
function check.grad_output(module, k, g, output)
   if not k.is(g) then fail(module, 'gradOutput of type %s expected (got %s)', k.TYPE, describe(g)) end
   if not k.is(output) or geometry.count(output) == 0 then fail(module, 'forward expected before backward') end
   if not geometry.same_size(g, output) then
      fail(module, 'gradOutput of the size of the output expected, %s (got %s)', geometry.shape(output), describe(g))
   end
end

return check

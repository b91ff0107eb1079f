-- nn.utils.*, torch.isByteTensor and their like: work on tensors in tables of tables, masks, and buffers by name, as
-- the torch organisation's rnn added them.

local torch = require 'torch'
local check, nested, zero_rows = require 'torch.base.check', require 'nn.module.nested', require 'rnn.zero_rows'

return function(nn, rnn)
   local utils = nn.utils

   for _, name in ipairs { 'Set', 'TensorEq', 'Normal', 'Sum', 'New' } do
      utils['recursive' .. name] = rnn['recursive' .. name]
   end

   function utils.recursiveGetFirst(value)
      return (check.tensor('recursiveGetFirst', 'argument', zero_rows.first(value)))
   end

   -- A ByteTensor with a 1 for each row of the first tensor, batch x ..., that is all zeros.
   function utils.getZeroMaskBatch(batch, mask)
      local first = utils.recursiveGetFirst(batch)
      check.dimensions('getZeroMaskBatch', 'argument 1', first, 1, 99)
      local found = zero_rows.mask('getZeroMaskBatch', first, first:dim() - 1)
      if mask == nil then return found end
      return check.tensor('getZeroMaskBatch', 'argument 2', mask):resize(found:size()):copy(found)
   end

   -- The same for each step of a sequence, steps x batch x ...
   function utils.getZeroMaskSequence(sequence, mask)
      check.dimensions('getZeroMaskSequence', 'argument 1', sequence, 2, 99)
      local steps, batch = sequence:size(1), sequence:size(2)
      local found = zero_rows.mask('getZeroMaskSequence', sequence:contiguous():view(steps * batch, -1), 1)
      found = found:view(steps, batch)
      if mask == nil then return found end
      return check.tensor('getZeroMaskSequence', 'argument 2', mask):resize(steps, batch):copy(found)
   end

   -- Zeros in place where the mask, of the first dimension or two, is 1.
   function utils.recursiveZeroMask(value, mask)
      check.dimensions('recursiveZeroMask', 'mask', mask, 1, 99)
      if torch.type(value) == 'table' then
         for _, inner in ipairs(value) do utils.recursiveZeroMask(inner, mask) end
         return value
      end
      check.dimensions('recursiveZeroMask', 'argument 1', value, mask:dim(), 99)
      local sizes = {}
      for d = 1, value:dim() do
         sizes[d] = d <= mask:dim() and value:size(d) or 1
         if d <= mask:dim() and mask:size(d) ~= value:size(d) then
            check.argument_error('recursiveZeroMask', 'mask',
               string.format('of the first sizes of a tensor, %d in dimension %d', value:size(d), d), mask)
         end
      end
      return value:maskedFill(mask:contiguous():view(torch.LongStorage(sizes)):expandAs(value), 0)
   end

   function utils.recursiveDiv(value, divisor)
      check.number('recursiveDiv', 'divisor', divisor)
      if torch.type(value) == 'table' then
         for _, inner in ipairs(value) do utils.recursiveDiv(inner, divisor) end
      else
         check.tensor('recursiveDiv', 'argument 1', value):div(divisor)
      end
   end

   -- `to` with the structure of `from`, where f(part of `to`, tensor) gives each part; made where `makes` says so.
   local function mirrored(name, makes, to, from, f)
      return nested.mirror(to, from, function(part, tensor)
         check.tensor(name, 'each part', tensor)
         if makes and not torch.isTensor(part) then part = tensor.new() end
         return f(check.tensor(name, 'each part', part), tensor)
      end)
   end

   function utils.recursiveIndex(to, from, dim, indices)
      return mirrored('recursiveIndex', true, to, from, function(a, b) return a:index(b, dim, indices) end)
   end
   utils.recursiveIndexSelect = utils.recursiveIndex

   function utils.recursiveIndexCopy(to, dim, indices, from)
      return mirrored('recursiveIndexCopy', false, to, from, function(a, b) return a:indexCopy(dim, indices, b) end)
   end

   function utils.recursiveMaskedSelect(to, from, mask)
      return mirrored('recursiveMaskedSelect', false, to, from, function(a, b) return a:maskedSelect(b, mask) end)
   end

   function utils.recursiveMaskedCopy(to, mask, from)
      return mirrored('recursiveMaskedCopy', false, to, from, function(a, b) return a:maskedCopy(mask, b) end)
   end

   -- Gives a mask to a module or criterion, or to each of a table.
   function utils.setZeroMask(modules, mask)
      for _, module in ipairs(torch.type(modules) == 'table' and modules or { modules }) do module:setZeroMask(mask) end
   end

   function torch.isByteTensor(value)
      return torch.isTensor(value) and string.find(torch.typename(value), 'ByteTensor$') ~= nil
   end
   function torch.isCudaTensor(value)
      return torch.isTensor(value) and string.find(torch.typename(value), '^torch%.Cuda') ~= nil
   end

   -- Objects that parts of a program share by name, made by the constructor of a class or of the class of an object.
   local buffers = {}
   function torch.getBufferTable(namespace)
      buffers[check.kind('getBufferTable', 'name', namespace, 'string')] = buffers[namespace] or {}
      return buffers[namespace]
   end

   function torch.getBuffer(namespace, name, class)
      local own = torch.getBufferTable(namespace)
      check.kind('getBuffer', 'name', name, 'string')
      class = type(class) == 'string' and class or torch.type(class)
      if torch.type(own[name]) ~= class then own[name] = torch.factory(class)() end
      return own[name]
   end

   -- require, with a hint in its error.
   function nn.require(name)
      check.kind('nn.require', 'argument', name, 'string')
      local ok, why = pcall(require, name)
      if not ok then check.fail('nn.require', 'package %s is missing: %s', name, tostring(why)) end
   end
end

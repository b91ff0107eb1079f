-- torchx.recursive*, which are rnn.recursive* too: work on tensors in tables of tables.

local torch = require 'torch'
local check, key_order, nn = require 'torch.base.check', require 'torch.base.key_order', require 'nn'
local nested = require 'nn.module.nested'
local utils = nn.utils

local function each(name, value, f)
   if torch.isTensor(value) then return f(value) end
   if torch.type(value) ~= 'table' then
      check.argument_error(name, 'argument', 'a tensor or a table of tensors', value)
   end
   local result = {}
   for key, inner in key_order.pairs(value) do result[key] = each(name, inner, f) end
   return result
end

return function(target)

   -- t2 copied into t1, which is made and resized as needed; parts of t1 that t2 lacks are kept.
   function target.recursiveCopy(t1, t2)
      return nested.zip(t1, t2, function(to, from) return (utils.recursiveCopy(to, from)) end), t2
   end

   -- t1 with the sizes of t2; parts of t1 that t2 lacks are kept.
   function target.recursiveResizeAs(t1, t2)
      return nested.zip(t1, t2, function(to, from) return (utils.recursiveResizeAs(to, from)) end), t2
   end

   target.recursiveAdd = utils.recursiveAdd
   target.recursiveFill, target.recursiveType = utils.recursiveFill, utils.recursiveType

   -- t1 as views of the memory of t2.
   function target.recursiveSet(t1, t2)
      return nested.zip(t1, t2, function(to, from)
         check.tensor('recursiveSet', 'argument 2', from)
         return (torch.isTensor(to) and to or from.new()):set(from)
      end), t2
   end

   -- Empty tensors of the same types.
   function target.recursiveNew(t) return each('recursiveNew', t, function(x) return x.new() end) end

   -- Fills with random numbers of the normal distribution, in place.
   function target.recursiveNormal(t)
      each('recursiveNormal', t, function(x) return x:normal() end)
      return t
   end

   function target.recursiveSum(t)
      if torch.isTensor(t) then return t:sum() end
      check.kind('recursiveSum', 'argument', t, 'table')
      local sum = 0
      for _, inner in key_order.pairs(t) do sum = sum + target.recursiveSum(inner) end
      return sum
   end

   -- Whether all elements of x and y differ by less than 1e-5.
   function target.recursiveTensorEq(x, y)
      if type(x) == 'table' and type(y) == 'table' and torch.type(x) == 'table' then
         for key, inner in pairs(x) do
            if y[key] == nil or not target.recursiveTensorEq(inner, y[key]) then return false end
         end
         for key in pairs(y) do
            if x[key] == nil then return false end
         end
         return true
      end
      if torch.isTensor(x) and torch.type(y) == 'table' then return false end
      if not torch.isTensor(x) or not torch.isTensor(y) then
         check.fail('recursiveTensorEq', 'arguments must be two tensors or two tables of tensors (got %s and %s)',
            check.describe(x), check.describe(y))
      end
      if x:nElement() ~= y:nElement() then return false end
      if x:nElement() == 0 then return true end
      return (x:double():contiguous():view(-1) - y:double():contiguous():view(-1)):abs():max() < 1e-5
   end

   -- The sizes of each tensor as a table, without that of a dimension if the tensor has it.
   function target.recursiveSize(t, without)
      return each('recursiveSize', t, function(x)
         local sizes = x:size():totable()
         if without then
            check.integer('recursiveSize', 'dimension', without)
            if without >= 1 and without <= #sizes then table.remove(sizes, without) end
         end
         return sizes
      end)
   end

   -- The size of the first dimension of the first tensor.
   function target.recursiveBatchSize(t)
      while torch.type(t) == 'table' do t = t[1] end
      check.dimensions('recursiveBatchSize', 'argument', t, 1, 99)
      return t:size(1)
   end

   -- Pairs tensors with those of another structure: f(t1, t2), where t1 is made if it is absent.
   local function paired(name, t1, t2, f)
      return nested.zip(t1, t2, function(to, from)
         check.tensor(name, 'argument 2', from)
         return f(torch.isTensor(to) and to or from.new(), from)
      end)
   end

   -- t1 as t2:index(dim, indices).
   function target.recursiveIndex(t1, t2, dim, indices)
      return (paired('recursiveIndex', t1, t2, function(to, from) return to:index(from, dim, indices) end))
   end

   -- Views of the rows from start to stop.
   function target.recursiveSub(t, start, stop)
      return each('recursiveSub', t, function(x) return x:sub(start, stop) end)
   end
end

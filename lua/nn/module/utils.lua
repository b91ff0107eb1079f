-- nn.utils: work on tensors in tables of tables, and on fields of modules.

local torch, nested = require 'torch', require 'nn.module.nested'
local shared_conversion = require 'torch.io.shared_conversion'
local expect, errors = require 'nn.checks.expect', require 'torch.base.errors'

return function(utils)

   -- A tensor, or all in a table, module or criterion, converted to another type. Aliasing is preserved.
   function utils.recursiveType(value, name, cache)
      cache = cache or {}
      if torch.isTensor(value) then
         if torch.typename(value) == name then return value end
         if not torch.getmetatable(expect.kind('type', 'the type', name, 'string')) then
            errors.argument_error('type', 1, "the name of a tensor type such as 'torch.FloatTensor'", name)
         end
         return shared_conversion.tensor(value, name, cache)
      elseif torch.isTypeOf(value, 'nn.Module') or torch.isTypeOf(value, 'nn.Criterion') then
         -- A module that is reached again through its own fields is being converted already.
         if not cache[value] then
            cache[value] = true
            value:type(name, cache)
            cache[value] = nil
         end
      elseif torch.type(value) == 'table' then
         for key, inner in pairs(value) do value[key] = utils.recursiveType(inner, name, cache) end
      end
      return value
   end

   local function reject(name, t1, t2)
      errors.raise('%s: arguments must be tensors or tables of them (got %s and %s)', name, expect.describe(t1),
         expect.describe(t2))
   end

   local function resized(name)
      return function(t1, t2)
         if not torch.isTensor(t2) then reject(name, t1, t2) end
         return (torch.isTensor(t1) and t1 or t2.new()):resize(t2:size())
      end
   end
   local resized_as, resized_for_copy = resized 'recursiveResizeAs', resized 'recursiveCopy'

   -- Resizes t1 as t2, also in tables; missing parts of t1 are created. Returns t1 and t2.
   function utils.recursiveResizeAs(t1, t2) return nested.mirror(t1, t2, resized_as), t2 end

   function utils.recursiveFill(t, value)
      if torch.type(t) == 'table' then
         for key in pairs(t) do t[key] = utils.recursiveFill(t[key], value) end
      elseif torch.isTensor(t) then
         t:fill(expect.number('recursiveFill', 'the value', value))
      else
         errors.raise('recursiveFill: argument 1 must be a tensor or a table of them (got %s)', expect.describe(t))
      end
      return t
   end

   -- t1 + value * t2 in t1: (t1, t2) or (t1, value, t2).
   function utils.recursiveAdd(t1, value, t2)
      if t2 == nil then value, t2 = 1, value end
      return nested.zip(t1, t2, function(to, from)
         if not torch.isTensor(to) or not torch.isTensor(from) then reject('recursiveAdd', to, from) end
         return to:add(value, from)
      end), t2
   end

   -- t2 copied into t1, which is made and resized as needed. Returns t1 and t2.
   function utils.recursiveCopy(t1, t2)
      return nested.zip(t1, t2, function(to, from) return resized_for_copy(to, from):copy(from) end), t2
   end

   -- A view with one more dimension of size 1: (t [, dim]), or (view, t [, dim]) to set a tensor.
   function utils.addSingletonDimension(...)
      local view, t, dim
      if select('#', ...) < 3 then
         t, dim = ...
         view = expect.tensor('addSingletonDimension', t, 'the argument').new()
      else
         view, t, dim = ...
      end
      if torch.isTensor(dim) then view, t, dim = t, dim, nil end
      expect.tensor('addSingletonDimension', view, 'the view')
      expect.tensor('addSingletonDimension', t, 'the argument')
      dim = expect.integer('addSingletonDimension', 'the dimension', dim or 1)
      if dim < 1 or dim > t:dim() + 1 then
         errors.raise('addSingletonDimension: dimension must be from 1 to %d (got %d)', t:dim() + 1, dim)
      end
      local sizes, strides = torch.LongStorage(t:dim() + 1), torch.LongStorage(t:dim() + 1)
      for d = 1, t:dim() + 1 do
         local from = d < dim and d or d - 1
         sizes[d] = d == dim and 1 or t:size(from)
         strides[d] = d == dim and 1 or t:stride(from)
      end
      return view:set(t:storage(), t:storageOffset(), sizes, strides)
   end

   -- A view of t, copied when it is not contiguous; sizes as for view.
   function utils.contiguousView(output, input, ...)
      expect.tensor('contiguousView', input, 'the input')
      output = expect.tensor('contiguousView', output or input.new(), 'the output')
      if input:isContiguous() then return output:view(input, ...) end
      output:resize(input:size()):copy(input)
      return output:view(...)
   end

   local function clear(object, field)
      local value = object[field]
      if value == nil then return end
      if torch.isTensor(value) then
         value:set()
      elseif type(value) == 'table' then
         object[field] = {}
      else
         object[field] = nil
      end
   end

   -- Empties fields: clear(object, 'a', 'b'), or a list of names.
   function utils.clear(object, ...)
      local names = ...
      if type(names) ~= 'table' then names = { ... } end
      for i = 1, #names do clear(object, names[i]) end
      return object
   end
end

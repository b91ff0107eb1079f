-- Parameters as views of one flat vector.

local errors = require 'torch.base.errors'

return function(Module, torch, check)

   function Module._flattenTensorBuffer() return torch.Tensor() end

   local function by_first(a, b) return a.first < b.first end

   -- The stretches of storages that tensors look at, merged where they overlap: in the order in which
   -- storages appear, and within one by position.
   local function stretches(tensors)
      local storages, order = {}, {}
      for _, t in ipairs(tensors) do
         if t:nElement() > 0 then
            local key = torch.pointer(t:storage())
            local reach = 1
            for d = 1, t:dim() do reach = reach + (t:size(d) - 1) * t:stride(d) end
            if not storages[key] then
               storages[key] = { storage = t:storage() }
               order[#order + 1] = storages[key]
            end
            local parts = storages[key]
            parts[#parts + 1] = { tensor = t, first = t:storageOffset(), last = t:storageOffset() + reach - 1 }
         end
      end
      local merged, count = {}, 0
      for _, parts in ipairs(order) do
         table.sort(parts, by_first)
         local open
         for _, part in ipairs(parts) do
            if open and part.first <= open.last then
               if part.last > open.last then count, open.last = count + part.last - open.last, part.last end
            else
               open = { storage = parts.storage, first = part.first, last = part.last, at = count + 1 }
               count = count + part.last - part.first + 1
               merged[#merged + 1] = open
            end
            part.stretch = open
         end
      end
      return order, merged, count
   end

   -- Whether there are elements between those of a tensor.
   local function has_gaps(t)
      local reach, elements = 1, 1
      for d = 1, t:dim() do
         reach = reach + (t:size(d) - 1) * t:stride(d)
         if t:stride(d) > 0 then elements = elements * t:size(d) end
      end
      return t:nElement() > 0 and reach ~= elements
   end

   -- Calls set(tensor, position) for each tensor with its first element in the flat vector.
   local function each_place(order, set)
      for _, parts in ipairs(order) do
         for _, part in ipairs(parts) do set(part.tensor, part.stretch.at + part.first - part.stretch.first) end
      end
   end

   -- Raises if there are gaps that no other tensor fills: the flat vector has no unused elements.
   local function refuse_gaps(tensors, order, count)
      local gap
      for _, t in ipairs(tensors) do gap = gap or has_gaps(t) and t end
      if not gap then return end
      local used = torch.ByteTensor(count):zero()
      each_place(order, function(t, at) torch.ByteTensor():set(used:storage(), at, t:size(), t:stride()):fill(1) end)
      if used:min() == 0 then
         errors.raise('flatten: Cannot gather tensors that are not compact (got one of %s with strides %s)',
            errors.describe(gap), table.concat(gap:stride():totable(), ' and '))
      end
   end

   -- One new vector that holds all elements of a list of tensors, which become views of it. What they share
   -- is there once.
   function Module.flatten(tensors)
      if not tensors or #tensors == 0 then return torch.Tensor() end
      local first = tensors[1]
      for i, t in ipairs(tensors) do
         if t:type() ~= first:type() then
            errors.raise('flatten: parameters must be of one type (got %s and, as number %d, %s)', first:type(), i,
               t:type())
         end
      end
      local order, merged, count = stretches(tensors)
      refuse_gaps(tensors, order, count)
      local flat = first.new(count)
      for _, m in ipairs(merged) do
         local length = m.last - m.first + 1
         flat:narrow(1, m.at, length):copy(first.new(m.storage, m.first, length))
      end
      local storage = flat:storage()
      each_place(order, function(t, at) t:set(storage, at, t:size(), t:stride()) end)
      return flat
   end

   -- All parameters, and the gradients of them, as two flat vectors.
   function Module:getParameters()
      local parameters, gradients = self:parameters()
      local p, g = Module.flatten(parameters), Module.flatten(gradients)
      if p:nElement() ~= g:nElement() then
         check.fail(self, 'parameters and gradients must be as many; share both or none (got %d and %d)',
            p:nElement(), g:nElement())
      end
      if parameters then
         for i = 1, #parameters do
            if parameters[i]:storageOffset() ~= gradients[i]:storageOffset() then
               check.fail(self, 'parameters and gradients that are shared alike expected; check that you are sharing' ..
                  ' parameters and gradParameters (parameter %d begins at %d, its gradient at %d)', i,
                  parameters[i]:storageOffset(), gradients[i]:storageOffset())
            end
         end
      end
      return p, g
   end
end

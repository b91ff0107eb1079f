-- Parameters as views of one flat vector.

local errors = require 'torch.base.errors'

return function(Module, torch, check)

   function Module._flattenTensorBuffer() return torch.Tensor() end

   -- The number of elements from the first to the last one.
   local function span_of(t)
      local span = 1
      for d = 1, t:dim() do span = span + (t:size(d) - 1) * t:stride(d) end
      return span
   end

   local function by_first(a, b) return a.first < b.first end

   -- The intervals of storages that tensors view, merged where they overlap: in the order in which storages appear, and
   -- within a storage by position.
   local function intervals_of(tensors)
      local storages, order = {}, {}
      for _, t in ipairs(tensors) do
         if t:nElement() > 0 then
            local key = torch.pointer(t:storage())
            local span = span_of(t)
            if not storages[key] then
               storages[key] = { storage = t:storage() }
               order[#order + 1] = storages[key]
            end
            local parts = storages[key]
            parts[#parts + 1] = { tensor = t, first = t:storageOffset(), last = t:storageOffset() + span - 1 }
         end
      end
      local merged, count = {}, 0
      for _, parts in ipairs(order) do
         table.sort(parts, by_first)
         local current
         for _, part in ipairs(parts) do
            if current and part.first <= current.last then
               if part.last > current.last then count, current.last = count + part.last - current.last, part.last end
            else
               current = { storage = parts.storage, first = part.first, last = part.last, at = count + 1 }
               count = count + part.last - part.first + 1
               merged[#merged + 1] = current
            end
            part.interval = current
         end
      end
      return order, merged, count
   end

   -- Raises if an interval has elements that belong to no parameter: they would become elements of the vector.
   local function reject_gaps(interval, parts)
      local mask = torch.ByteTensor(interval.last - interval.first + 1):zero()
      local strided
      for _, part in ipairs(parts) do
         local t = part.tensor
         if part.interval == interval then
            torch.ByteTensor(mask:storage(), part.first - interval.first + 1, t:size(), t:stride()):fill(1)
            if span_of(t) > t:nElement() then strided = t end
         end
      end
      if mask:min() == 0 then
         errors.raise('flatten: Cannot gather tensors that are not compact: between the elements of a parameter of' ..
            ' size [%s] and strides [%s] lie elements of none', check.shape(strided),
            table.concat(strided:stride():totable(), ' '))
      end
   end

   -- A new vector that holds all elements of a list of tensors, which become views of it. Shared elements occur once.
   function Module.flatten(tensors)
      if not tensors or #tensors == 0 then return torch.Tensor() end
      local first = tensors[1]
      for i, t in ipairs(tensors) do
         if t:type() ~= first:type() then
            errors.raise('flatten: parameters must be of one type (got %s and, as number %d, %s)', first:type(), i,
               t:type())
         end
      end
      local order, merged, count = intervals_of(tensors)
      for _, parts in ipairs(order) do
         for _, part in ipairs(parts) do
            if span_of(part.tensor) > part.tensor:nElement() then reject_gaps(part.interval, parts) end
         end
      end
      local flat = first.new(count)
      for _, m in ipairs(merged) do
         local length = m.last - m.first + 1
         flat:narrow(1, m.at, length):copy(first.new(m.storage, m.first, length))
      end
      local storage = flat:storage()
      for _, parts in ipairs(order) do
         for _, part in ipairs(parts) do
            local t = part.tensor
            t:set(storage, part.interval.at + part.first - part.interval.first, t:size(), t:stride())
         end
      end
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

-- Methods of dpnn for modules and criterions that take single samples as well as batches, and other short methods.

local torch = require 'torch'
local check = require 'torch.base.check'

return function(nn)
   local Module, Container = nn.Module, nn.Container

   -- A sample of nDim dimensions as a batch of one; all else as it is. fromBatch makes the output a sample again.
   function Module:toBatch(tensor, nDim, batchDim)
      check.tensor(self, 'input', tensor)
      self.dpnn_online = tensor:dim() == nDim
      if not self.dpnn_online then return tensor end
      local sizes = tensor:size():totable()
      table.insert(sizes, batchDim or 1, 1)
      return tensor:view(unpack(sizes))
   end

   function Module:fromBatch(output, batchDim)
      if not self.dpnn_online then return output end
      local sizes = check.tensor(self, 'output', output):size():totable()
      if table.remove(sizes, batchDim or 1) ~= 1 then check.argument_error(self, 'output', 'a batch of one', output) end
      if #sizes == 0 then sizes[1] = 1 end
      return output:view(unpack(sizes))
   end

   nn.Criterion.toBatch, nn.Criterion.fromBatch = Module.toBatch, Module.fromBatch

   -- The input, or a contiguous copy that backward finds again.
   function Module:contiguousInput(input, backward)
      if backward then return self.dpnn_cinput or input end
      check.tensor(self, 'input', input)
      if input:isContiguous() then
         self.dpnn_cinput = nil
         return input
      end
      self.dpnn_cinput = (self.dpnn_cinput or input.new()):resizeAs(input):copy(input)
      return self.dpnn_cinput
   end

   -- Adds several modules.
   function Container:extend(...)
      for _, module in ipairs { ... } do self:add(module) end
      return self
   end

   -- Parameters and gradients that a step of training changes, and maybe factors of its rate, by numbers; for
   -- containers also how many numbers there are. Classes of a program may leave out some.
   function Module:sparseParameters() return self:parameters() end

   function Container:sparseParameters()
      local parameters, gradients, scales, count = {}, {}, {}, 0
      for _, module in ipairs(self.modules) do
         local p, g, factors, size = module:sparseParameters()
         for i, parameter in pairs(p or {}) do
            parameters[count + i], gradients[count + i], scales[count + i] = parameter, g[i], factors and factors[i]
         end
         count = count + (size or #(p or {}))
      end
      return parameters, gradients, scales, count
   end

   local whole = { [Module.sparseParameters] = true, [Container.sparseParameters] = true }
   local update, zero = Module.updateParameters, Module.zeroGradParameters

   function Module:updateParameters(rate)
      if whole[self.sparseParameters] then return update(self, rate) end
      check.number(self, 'learning rate', rate)
      local parameters, gradients, scales = self:sparseParameters()
      for i, parameter in pairs(parameters or {}) do
         parameter:add(-rate * (scales and scales[i] or 1), gradients[i])
      end
   end

   function Module:zeroGradParameters()
      if whole[self.sparseParameters] then return zero(self) end
      local _, gradients = self:sparseParameters()
      for _, gradient in pairs(gradients or {}) do gradient:zero() end
   end

   -- Raises for parameters that have become nan.
   function Module:checkParameters()
      for i, parameter in ipairs(self:parameters() or {}) do
         local sum = parameter:sum()
         if sum ~= sum then check.fail(self, 'parameter %d has elements that are nan', i) end
      end
   end

   -- The type of tensors that most parameters have.
   function Module:extrapolateType()
      local counts, best = {}, nil
      for _, parameter in ipairs(self:parameters() or {}) do
         local name = parameter:type()
         counts[name] = (counts[name] or 0) + 1
         if not best or counts[name] > counts[best] then best = name end
      end
      return best or self:type()
   end

   -- No gradient passes, neither to the input nor to the parameters.
   function Module:dontBackward()
      local function nothing() end
      self.backward, self.updateGradInput, self.accGradParameters = nothing, nothing, nothing
      self.accUpdateGradParameters = nothing
      return self
   end

   -- Hands the module to a visitor, an object with a method visit.
   function Module:accept(visitor)
      check.callable(self, 'visitor.visit', type(visitor) == 'table' and visitor.visit)
      return visitor:visit(self)
   end

   -- Prints the seconds of each forward and backward of the modules inside.
   function Module:profile()
      for i, module in ipairs(self.modules or {}) do
         if torch.isTypeOf(module, 'nn.Container') and not torch.isTypeOf(module, 'nn.Profile') then
            module:profile()
         elseif not torch.isTypeOf(module, 'nn.Profile') then
            self.modules[i] = nn.Profile(module, 1)
         end
      end
      return self
   end
end

-- nn.Module: the protocol of all modules. A module keeps its last output and gradInput in fields.

local torch = require 'torch'
local expect, mixins = require 'nn.checks.expect', require 'nn.module.mixins'

return function(Module, _, nn)

   function Module:__init()
      self.gradInput = torch.Tensor()
      self.output = torch.Tensor()
      self._type = self.output:type()
   end

   -- The parameters and the gradients of them, as two lists; nothing at all if there are none.
   function Module:parameters()
      if self.weight and self.bias then return { self.weight, self.bias }, { self.gradWeight, self.gradBias } end
      if self.weight then return { self.weight }, { self.gradWeight } end
      if self.bias then return { self.bias }, { self.gradBias } end
   end

   function Module:updateOutput() return self.output end

   function Module:forward(input) return self:updateOutput(input) end

   function Module:backward(input, gradOutput, scale)
      scale = scale or 1
      self:updateGradInput(input, gradOutput)
      self:accGradParameters(input, gradOutput, scale)
      return self.gradInput
   end

   -- Combines backward with a step of gradient descent.
   function Module:backwardUpdate(input, gradOutput, lr)
      self:updateGradInput(input, gradOutput)
      self:accUpdateGradParameters(input, gradOutput, lr)
      return self.gradInput
   end

   function Module:updateGradInput() return self.gradInput end

   function Module:accGradParameters() end

   function Module:accUpdateGradParameters(input, gradOutput, lr)
      if self.shared then
         self:sharedAccUpdateGradParameters(input, gradOutput, lr)
      else
         self:defaultAccUpdateGradParameters(input, gradOutput, lr)
      end
   end

   -- Accumulates gradients into the parameters directly.
   function Module:defaultAccUpdateGradParameters(input, gradOutput, lr)
      expect.number(self, 'lr', lr)
      local gradWeight, gradBias = self.gradWeight, self.gradBias
      self.gradWeight, self.gradBias = self.weight, self.bias
      self:accGradParameters(input, gradOutput, -lr)
      self.gradWeight, self.gradBias = gradWeight, gradBias
   end

   function Module:sharedAccUpdateGradParameters(input, gradOutput, lr)
      if self:parameters() then
         self:zeroGradParameters()
         self:accGradParameters(input, gradOutput, 1)
         self:updateParameters(lr)
      end
   end

   -- A parameter or gradient of a list, which must be a tensor, or a table that acts as one.
   local function parameter(self, list, i, first, second)
      local value = list[i]
      local kind = type(value)
      if kind ~= 'cdata' and (kind ~= 'table' or not (value.add or torch.typename(value))) then
         local name = rawequal(self[first], value) and first or rawequal(self[second], value) and second
         expect.argument_error(self, name or 'parameter ' .. i, 'a tensor', value)
      end
      return value
   end

   function Module:zeroGradParameters()
      local _, gradients = self:parameters()
      if gradients then
         for i = 1, #gradients do parameter(self, gradients, i, 'gradWeight', 'gradBias'):zero() end
      end
   end

   function Module:updateParameters(learningRate)
      expect.number(self, 'learningRate', learningRate)
      local parameters, gradients = self:parameters()
      if parameters then
         for i = 1, #parameters do
            parameter(self, parameters, i, 'weight', 'bias'):add(-learningRate, gradients[i])
         end
      end
   end

   function Module:training() self.train = true end

   function Module:evaluate() self.train = false end

   -- Makes fields views of those of another module.
   function Module:share(other, ...)
      if type(other) ~= 'table' then expect.argument_error(self, 'other', 'a module', other) end
      for _, name in ipairs { ... } do
         if self[name] ~= nil then
            self[name]:set(other[name])
            self.shared, other.shared = true, true
         end
      end
      return self
   end

   function Module:clone(...)
      local copy = require 'nn.module.copy'(self)
      if next { ... } ~= nil then copy:share(self, ...) end
      return copy
   end

   -- Converts all tensors to a type; without an argument returns the current type. Tensors that share memory still do;
   -- several calls may pass the same table `cache` to preserve sharing across modules.
   function Module:type(name, cache)
      if not name then return self._type end
      expect.kind(self, 'type', name, 'string')
      cache = cache and expect.kind(self, 'cache', cache, 'table') or {}
      -- Assigning existing fields during traversal is allowed.
      for key, value in pairs(self) do self[key] = nn.utils.recursiveType(value, name, cache) end
      self._type = name
      return self
   end

   function Module:float(...) return self:type('torch.FloatTensor', ...) end
   function Module:double(...) return self:type('torch.DoubleTensor', ...) end
   function Module:cuda(...) return self:type('torch.CudaTensor', ...) end

   function Module:reset() end

   function Module:write(file)
      local fields = {}
      for key, value in pairs(self) do fields[key] = value end
      expect.file(self, 'file', file, 'writeObject'):writeObject(fields)
   end

   -- Fields that networks of old versions lack are filled in by `upgrade`, see below.
   function Module:read(file)
      mixins.read_fields(self, file)
      if not self._type then
         local tensor = torch.isTensor(self.weight) and self.weight or torch.isTensor(self.output) and self.output
         self._type = tensor and tensor:type() or torch.getdefaulttensortype()
      end
      -- The file may contain a field of this name.
      getmetatable(self).upgrade(self)
   end

   -- Called when a module was read from a file: gives it the fields that its version lacks.
   function Module:upgrade() end

   -- A new, empty value of the same kind: the module may hold tensors of the program.
   local function emptied(value)
      if torch.isTensor(value) then return value.new() end
      if type(value) == 'table' then return {} end
   end

   function Module:clearState()
      self.output, self.gradInput = emptied(self.output), emptied(self.gradInput)
      return self
   end

   function Module:__call__(input, gradOutput)
      self:forward(input)
      if gradOutput == nil then return self.output end
      self:backward(input, gradOutput)
      return self.output, self.gradInput
   end

   function Module:__tostring__() return torch.type(self) end

   require 'nn.module.flatten'(Module, torch, expect)
   require 'nn.module.tree'(Module)
end

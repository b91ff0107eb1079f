-- nn.ModuleCriterion: a criterion of the outputs of two modules, one for the input and one for the target.

local torch = require 'torch'
local expect, warn = require 'nn.checks.expect', require 'torch.base.warn'

return function(ModuleCriterion)

   function ModuleCriterion:__init()
      local parameters = self.inputModule and self.inputModule:parameters()
      if parameters and #parameters > 0 then
         warn.once('%s: nothing updates the parameters of inputModule, %s', expect.name(self),
            expect.name(self.inputModule))
      end
   end

   local function converted(self, input, target)
      local x, t = input, target
      if self.inputModule then x = self.inputModule:forward(input) end
      if self.targetModule then t = self.targetModule:forward(target) end
      return x, t
   end

   function ModuleCriterion:updateOutput(input, target)
      local x, t = converted(self, input, target)
      self.output = self.criterion:forward(x, t)
      return self.output
   end

   function ModuleCriterion:updateGradInput(input, target)
      local x, t = input, target
      if self.inputModule then x = self.inputModule.output end
      if self.targetModule then t = self.targetModule.output end
      self.gradInput = self.criterion:backward(x, t)
      if self.inputModule then self.gradInput = self.inputModule:backward(input, self.gradInput) end
      return self.gradInput
   end

   function ModuleCriterion:type(name, cache)
      if not name then return self._type end
      if self.inputModule then self.inputModule:type(name, cache) end
      if self.targetModule and self.castTarget then self.targetModule:type(name, cache) end
      self.criterion:type(name, cache)
      if torch.isTensor(self.gradInput) then self.gradInput = self.gradInput:type(name) end
      self._type = name
      return self
   end
end

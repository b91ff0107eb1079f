-- nn.Recursor: any module as a recurrent one, with a copy for each step. Recurrent modules inside keep their own steps.

local check = require 'torch.base.check'

return function(Recursor, parent, nn)

   function Recursor:__init(module, rho)
      parent.__init(self, rho or 9999999)
      if type(module) ~= 'table' or not module.updateOutput then
         check.argument_error('Recursor', 'argument 1', 'a module', module)
      end
      self:setStepModule(module)
      self.module = module
   end

   function Recursor:_updateOutput(input) return (self:presentModule():updateOutput(input)) end

   -- The module of a step, whose recurrent modules are set back to it.
   local function module_at(self, step)
      local module = self:getStepModule(step)
      module:setOutputStep(step)
      return module
   end

   function Recursor:_updateGradInput(input, gradOutput)
      return module_at(self, self.updateGradInputStep - 1):updateGradInput(input, gradOutput)
   end

   function Recursor:_accGradParameters(input, gradOutput, scale)
      module_at(self, self.accGradParametersStep - 1):accGradParameters(input, gradOutput, scale)
   end

   function Recursor:maxBPTTstep(rho)
      parent.maxBPTTstep(self, rho)
      nn.Module.maxBPTTstep(self, rho)
      return self
   end

   -- States are those of the module inside.
   for _, name in ipairs { 'getHiddenState', 'setHiddenState', 'getGradHiddenState', 'setGradHiddenState',
      'setStartState' } do
      Recursor[name] = function(self, step, state) return self.modules[1][name](self.modules[1], step, state) end
   end

   Recursor.__tostring__ = nn.Decorator.__tostring__
end

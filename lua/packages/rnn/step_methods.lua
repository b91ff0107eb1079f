-- Methods that rnn adds to all modules: memory of steps, and copies that share their parameters, one for each step.

local torch = require 'torch'
local check, copy, warn = require 'torch.base.check', require 'nn.module.copy', require 'torch.base.warn'

return function(Module)

   -- Calls a method of all modules inside.
   for _, name in ipairs { 'forget', 'remember', 'maxBPTTstep', 'setOutputStep', 'maskZero', 'setZeroMask' } do
      Module[name] = function(self, value)
         for _, module in ipairs(self.modules or {}) do module[name](module, value) end
         return self
      end
   end

   -- The parameters of a module, and the modules inside that keep steps themselves.
   local function shared_parts(module, parameters, gradients)
      local kept = {}
      local own, own_gradients = module:parameters()
      for i = 1, own and #own or 0 do
         if parameters ~= false then kept[#kept + 1] = own[i] end
         if gradients ~= false then kept[#kept + 1] = own_gradients[i] end
      end
      for _, inner in ipairs(module:listModules()) do
         if inner.dpnn_stepclone then kept[#kept + 1] = inner end
         -- The statistics of batch normalization.
         for _, name in ipairs(parameters ~= false and inner.dpnn_parameters or {}) do
            if torch.isTensor(inner[name]) then kept[#kept + 1] = inner[name] end
         end
      end
      return kept
   end

   -- A copy for another step. The parameters of both are the same tensors, so that getParameters moves them together;
   -- modules that keep steps themselves are the same objects.
   function Module:stepClone(parameters, gradients)
      if self.dpnn_stepclone then return self end
      return (copy(self, shared_parts(self, parameters, gradients)))
   end

   function Module:backwardOnline()
      warn.once('backwardOnline: not needed: gradients go back through time in the reverse order of the steps')
      return self
   end

   -- The states of all recurrent modules inside after a step, by default the last one, by the numbers of modules; and
   -- their gradients. Modules without modules inside have none.
   for _, what in ipairs { 'HiddenState', 'GradHiddenState' } do
      local get, set = 'get' .. what, 'set' .. what
      Module[get] = function(self, step)
         if not self.modules then return nil end
         local states = {}
         for i, module in ipairs(self.modules) do states[i] = module[get](module, step) end
         return states
      end
      Module[set] = function(self, step, states)
         if not self.modules then return self end
         check.kind(self, 'states', states, 'table')
         for i, module in ipairs(self.modules) do
            if states[i] ~= nil then module[set](module, step, states[i]) end
         end
         return self
      end
   end

   -- The states before the first step, by the numbers of modules; nil for zeros.
   function Module:setStartState(states)
      for i, module in ipairs(self.modules or {}) do
         module:setStartState(states ~= nil and check.kind(self, 'states', states, 'table')[i] or nil)
      end
      return self
   end

   -- Recurrent modules as they are, others wrapped in a Recursor: for constructors of sequences.
   function Module.asRecurrent(nn, module)
      if torch.isTypeOf(module, 'nn.AbstractRecurrent') then return module end
      return nn.Recursor(module)
   end
end

-- Methods that rnn adds to all modules: memory of steps, and copies that share their parameters, one for each step.

local torch = require 'torch'
local copy, warn = require 'nn.copy', require 'torch.base.warn'

return function(Module)

   -- Calls a method of all modules inside.
   for _, name in ipairs { 'forget', 'remember', 'maxBPTTstep', 'setOutputStep' } do
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
      end
      return kept
   end

   -- A copy for another step. Parameters are the same tensors in both, so that getParameters moves them together;
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
   -- the gradients at them.
   for _, what in ipairs { 'HiddenState', 'GradHiddenState' } do
      local get, set = 'get' .. what, 'set' .. what
      Module[get] = function(self, step)
         local states
         for i, module in ipairs(self.modules or {}) do
            local state = module[get](module, step)
            if state ~= nil then
               states = states or {}
               states[i] = state
            end
         end
         return states
      end
      Module[set] = function(self, step, states)
         for i, state in pairs(states or {}) do self.modules[i][set](self.modules[i], step, state) end
         return self
      end
   end

   -- Recurrent modules as they are, others wrapped in a Recursor: for constructors of sequences.
   function Module.asRecurrent(nn, module)
      if torch.isTypeOf(module, 'nn.AbstractRecurrent') then return module end
      return nn.Recursor(module)
   end
end

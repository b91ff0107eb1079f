-- nn.AbstractRecurrent: modules that are called once for each step of a sequence, and go back through the steps in
-- reverse order. Each step of training has a copy of `recurrentModule`, in `sharedClones`, that shares its parameters.
--
-- A class defines updateOutput, which calls begin_step and end_step, _updateGradInput and _accGradParameters.

local torch = require 'torch'
local check, modes = require 'torch.base.check', require 'rnn.modes'

return function(Recurrent, parent, nn)

   -- Copies for steps of a module around it share this one.
   Recurrent.dpnn_stepclone = true

   -- Fields with an entry for each step, by step number.
   local HISTORIES = { 'outputs', 'cells', 'gradInputs', 'gradOutputs', 'gradCells', '_gradOutputs' }

   -- `rho` is the most steps that gradients go back.
   function Recurrent:__init(rho)
      parent.__init(self)
      self.rho = rho and check.size(self, 'rho', rho) or 99999
      self.outputs, self.gradInputs, self._gradOutputs = {}, {}, {}
      self.step, self.sharedClones = 1, {}
   end

   function Recurrent:getStepModule(step)
      check.size(self, 'step', step)
      local clone = self.sharedClones[step]
      if not clone then
         clone = self.recurrentModule:stepClone()
         self.sharedClones[step] = clone
      end
      return clone
   end

   -- The steps that have copies, in their order.
   local function steps_of(clones)
      local steps = {}
      for step in pairs(clones) do steps[#steps + 1] = step end
      table.sort(steps)
      return steps
   end

   local function count(list)
      local n = 0
      for _ in pairs(list) do n = n + 1 end
      return n
   end

   -- Drops data that no later step needs, and reuses the oldest copy for the present step.
   function Recurrent:recycle()
      local clones, step = self.sharedClones, self.step
      local window = self.rho + 1
      if self.train ~= false then
         window = math.max(window, count(clones))
         if not clones[step] then clones[step], clones[step - window] = clones[step - window], nil end
      end
      for _, name in ipairs(HISTORIES) do
         if self[name] then self[name][step - window - 1] = nil end
      end
      return self
   end

   -- The module for the present step: in training the step's copy, in evaluation always the same module.
   function Recurrent:beginStep()
      self:recycle()
      return self.train ~= false and self:getStepModule(self.step) or self.recurrentModule
   end

   function Recurrent:endStep(output)
      self.outputs[self.step], self.output = output, output
      self.step = self.step + 1
      self.updateGradInputStep, self.accGradParametersStep, self.gradPrevOutput = nil, nil, nil
      return output
   end

   -- Backward visits one step at a time, the last one first.
   function Recurrent:updateGradInput(input, gradOutput)
      local step = self.updateGradInputStep or self.step
      if step <= 1 then
         check.fail(self, 'backward called before forward, or more often (got step %d)', self.step - 1)
      end
      self.updateGradInputStep = step
      self.gradInput = self:_updateGradInput(input, gradOutput)
      self.updateGradInputStep = step - 1
      self.gradInputs[step - 1] = self.gradInput
      return self.gradInput
   end

   function Recurrent:accGradParameters(input, gradOutput, scale)
      local step = self.accGradParametersStep or self.step
      if not self.updateGradInputStep or self.updateGradInputStep >= step then
         check.fail(self, 'accGradParameters called before updateGradInput of step %d', step - 1)
      end
      self.accGradParametersStep = step
      self:_accGradParameters(input, gradOutput, scale or 1)
      self.accGradParametersStep = step - 1
   end

   function Recurrent:backward(input, gradOutput, scale)
      self:updateGradInput(input, gradOutput)
      self:accGradParameters(input, gradOutput, scale)
      return self.gradInput
   end

   -- One step of gradient descent would change the parameters of the steps before.
   for _, name in ipairs { 'accUpdateGradParameters', 'backwardUpdate' } do
      Recurrent[name] = function(self)
         check.fail(self, '%s is not defined for recurrent modules: use backward and updateParameters', name)
      end
   end

   for _, name in ipairs { 'updateGradInputThroughTime', 'accGradParametersThroughTime',
      'accUpdateGradParametersThroughTime', 'backwardThroughTime', 'backwardUpdateThroughTime' } do
      Recurrent[name] = function(self)
         check.fail(self, '%s is not needed: call backward for each step, the last one first', name)
      end
   end

   -- Forgets all steps. The copies are used again, from step `first`.
   function Recurrent:forget(first)
      parent.forget(self)
      local clones = {}
      for i, step in ipairs(steps_of(self.sharedClones)) do clones[i + (first or 1) - 1] = self.sharedClones[step] end
      self.sharedClones, self.step = clones, 1
      for _, name in ipairs(HISTORIES) do
         if self[name] then self[name] = {} end
      end
      self.updateGradInputStep, self.accGradParametersStep, self.gradPrevOutput = nil, nil, nil
      return self
   end

   -- Calls f while `modules` lists the copies too.
   function Recurrent:includingSharedClones(f)
      local modules, clones, initial = self.modules, self.sharedClones, self.initialModule
      local all, seen = {}, {}
      local function add(module)
         if not seen[module] then all[#all + 1], seen[module] = module, true end
      end
      for _, module in ipairs(modules) do add(module) end
      for _, step in ipairs(steps_of(clones)) do add(clones[step]) end
      if initial then add(initial) end
      self.modules = all
      local result = f()
      self.modules = modules
      return result
   end

   modes(Recurrent, parent, function(self, method)
      return self:includingSharedClones(function() return method(self) end)
   end)

   function Recurrent:clearState()
      self:forget()
      self:includingSharedClones(function() return parent.clearState(self) end)
      self.outputs, self.gradInputs, self._gradOutputs = {}, {}, {}
      return self
   end

   function Recurrent:type(name, cache)
      if name then self:forget() end
      return parent.type(self, name, cache)
   end

   -- One reward for all steps, or a table with one for each.
   function Recurrent:reinforce(reward)
      if torch.type(reward) == 'table' then
         for step, one in ipairs(reward) do
            if self.sharedClones[step] then self.sharedClones[step]:reinforce(one) end
         end
         return
      end
      return self:includingSharedClones(function() return parent.reinforce(self, reward) end)
   end

   function Recurrent:maxBPTTstep(rho)
      self.rho = check.size(self, 'the most steps', rho)
      return self
   end

   -- output and gradInput of a step that was, for a module around this one that goes back to it.
   function Recurrent:setOutputStep(step)
      if self.outputs[step] == nil then check.fail(self, 'output of step %s is missing', tostring(step)) end
      self.output, self.gradInput = self.outputs[step], self.gradInputs[step]
   end

   local function decorate(self, Class, dimensions, silent)
      self.recurrentModule = Class(self.recurrentModule, dimensions, silent)
      self.sharedClones, self.modules[1] = { self.recurrentModule }, self.recurrentModule
      return self
   end

   -- Samples of zeros, with this number of dimensions, give zeros and reset the state.
   function Recurrent:maskZero(dimensions, silent) return decorate(self, nn.MaskZero, dimensions, silent) end
   function Recurrent:trimZero(dimensions, silent) return decorate(self, nn.TrimZero, dimensions, silent) end

   for _, name in ipairs { 'getHiddenState', 'setHiddenState', 'getGradHiddenState', 'setGradHiddenState' } do
      Recurrent[name] = function(self) check.fail(self, '%s is not defined for this class', name) end
   end

   for _, name in ipairs { 'Add', 'Copy', 'Normal', 'ResizeAs', 'Set', 'TensorEq' } do
      Recurrent['recursive' .. name] = function(_, ...) return nn.rnn['recursive' .. name](...) end
   end

   function Recurrent:__tostring__()
      if self.inputSize and self.outputSize then
         return ('%s(%d -> %d)'):format(torch.type(self), self.inputSize, self.outputSize)
      end
      return parent.__tostring__(self)
   end
end

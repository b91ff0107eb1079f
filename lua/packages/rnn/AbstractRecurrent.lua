-- nn.AbstractRecurrent: modules that are called once for each step of a sequence, and go back through the steps in
-- reverse order. Each step of training has a copy of the module of a step, in `sharedClones`, that shares its
-- parameters.
--
-- Both generations of the package are here: Element-Research's classes set `recurrentModule`, modules[1] and
-- sharedClones[1] themselves and name the most steps `rho`; those of the torch organisation give the module of a step
-- to the constructor, and name it `seqlen`. A class defines _updateOutput, _updateGradInput and _accGradParameters.

local torch = require 'torch'
local check = require 'torch.base.check'

return function(Recurrent, parent, nn)

   -- Copies for steps of a module around it share this one.
   Recurrent.dpnn_stepclone = true

   -- Fields with an entry for each step, by step number.
   local HISTORIES = { 'outputs', 'cells', 'gradInputs', 'gradOutputs', 'gradCells', '_gradOutputs' }
   local MAX_STEPS = 99999

   -- `rho` is the most steps that gradients go back, or the module of a step.
   function Recurrent:__init(rho)
      parent.__init(self)
      local is_module = torch.isTypeOf(rho, 'nn.Module')
      self.rho = rho and not is_module and check.size(self, 'rho', rho) or MAX_STEPS
      self.outputs, self.gradInputs, self._gradOutputs, self.gradOutputs = {}, {}, {}, {}
      self.step, self.sharedClones = 1, {}
      if is_module then self:setStepModule(rho) end
   end

   -- Makes a module that of the steps.
   function Recurrent:setStepModule(module)
      self.recurrentModule, self.modules[1], self.sharedClones = module, module, { module }
      return self
   end

   local function step_module(self) return self.recurrentModule or self.modules[1] end

   local function count(list)
      local n = 0
      for _ in pairs(list) do n = n + 1 end
      return n
   end

   function Recurrent:getStepModule(step)
      step = check.size(self, 'step', step or 1)
      local clone = self.sharedClones[step]
      if not clone then
         clone = step_module(self):stepClone()
         self.sharedClones[step] = clone
         self.nSharedClone = count(self.sharedClones)
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

   -- Drops data that no later step needs, and reuses the oldest copy for the present step.
   function Recurrent:recycle()
      local clones, step = self.sharedClones, self.step
      local window = (self.rho or self.seqlen or MAX_STEPS) + 1
      self.nSharedClone = self.nSharedClone or count(clones)
      if self.train ~= false then
         window = math.max(window, self.nSharedClone)
         if not clones[step] then clones[step], clones[step - window] = clones[step - window], nil end
      end
      for _, name in ipairs(HISTORIES) do
         if self[name] then self[name][step - window - 1] = nil end
      end
      return self
   end

   -- The module for the present step: in training the step's copy, in evaluation always the same module.
   function Recurrent:presentModule()
      return self.train ~= false and self:getStepModule(self.step) or step_module(self)
   end

   -- The samples of a step that are masked are those of a row of the mask that setZeroMask gave.
   local function mask_step(self)
      local step = self.zeroMaskStep + 1
      if step > self.zeroMask:size(1) then
         check.fail(self, 'updateOutput called more often than the mask has steps, %d', self.zeroMask:size(1))
      end
      self.zeroMaskStep = step
      self:presentModule():setZeroMask(self.zeroMask[step])
   end

   function Recurrent:updateOutput(input)
      self:recycle()
      if self.zeroMask then mask_step(self) end
      local output = self:_updateOutput(input)
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
      if self.zeroMask and self.zeroMask:size(1) ~= self.zeroMaskStep then
         check.fail(self, 'updateOutput must be called for each of the %d steps of the mask (got %d calls)',
            self.zeroMask:size(1), self.zeroMaskStep)
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

   -- A step of gradient descent now would change the parameters that earlier steps used.
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

   -- Forgets all steps; evaluation keeps what the program set. The copies are used again, from step `first`.
   function Recurrent:forget(first)
      parent.forget(self)
      self.step = 1
      if self.train ~= false then
         local clones = {}
         for i, step in ipairs(steps_of(self.sharedClones)) do
            clones[i + (first or 1) - 1] = self.sharedClones[step]
         end
         self.sharedClones = clones
         for _, name in ipairs(HISTORIES) do
            if self[name] then self[name] = {} end
         end
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

   for _, name in ipairs { 'training', 'evaluate' } do
      Recurrent[name] = function(self)
         return self:includingSharedClones(function() return parent[name](self) end)
      end
   end

   function Recurrent:clearState()
      self:forget()
      nn.utils.clear(self, HISTORIES)
      self.gradPrevOutput, self.zeroMask = nil, nil
      self:includingSharedClones(function() return parent.clearState(self) end)
      return self
   end

   -- One reward for all steps, or one for each of the last steps: a table, or the rows of a tensor of 2 dimensions.
   function Recurrent:reinforce(reward)
      local rows = torch.type(reward) == 'table' and #reward
         or torch.isTensor(reward) and reward:dim() >= 2 and reward:size(1)
      if not rows then
         return self:includingSharedClones(function() return parent.reinforce(self, reward) end)
      end
      if rows >= self.step then
         check.fail(self, 'rewards must be at most as many as the steps, %d (got %d)', self.step - 1, rows)
      end
      for i = 1, rows do self:getStepModule(self.step - 1 - rows + i):reinforce(reward[i]) end
   end

   function Recurrent:maxBPTTstep(rho)
      self.rho = check.size(self, 'the most steps', rho)
      return self
   end

   -- Restores output and gradInput of a past step, for an enclosing module that returns to it.
   function Recurrent:setOutputStep(step)
      if self.outputs[step] == nil then check.fail(self, 'output of step %s is missing', tostring(step)) end
      self.output, self.gradInput = self.outputs[step], self.gradInputs[step]
   end

   -- Sets the state before the first step, which `forget` keeps.
   function Recurrent:setStartState(state)
      self.startState = state
      return self
   end

   -- Samples of zeros, with this number of dimensions, give zeros and reset the state. Without a number the mask is
   -- that of setZeroMask, or with `true` that of the rows of the input.
   function Recurrent:maskZero(dimensions)
      if type(dimensions) == 'number' then
         return self:setStepModule(nn.MaskZero(step_module(self), dimensions, true))
      end
      if self.maskzero then return self end
      if torch.isTypeOf(step_module(self), 'nn.AbstractRecurrent') then
         check.fail(self, 'maskZero is not defined for a recurrent module within another')
      end
      self.maskzero = true
      return self:setStepModule(nn.MaskZero(step_module(self), dimensions))
   end

   function Recurrent:trimZero(dimensions)
      if self.p and self.p ~= 0 and not self.mono then
         check.fail(self, 'trimZero: dropout inside of steps must be the same for all samples: mono must be true')
      end
      return self:setStepModule(nn.TrimZero(step_module(self), dimensions, true))
   end

   -- A mask of steps x batch with a 1 where a sample is to be zero and its state is reset; false for none.
   function Recurrent:setZeroMask(mask)
      if mask == false then
         self.zeroMask = false
         for _, step in ipairs(steps_of(self.sharedClones)) do self.sharedClones[step]:setZeroMask(false) end
      elseif torch.isTypeOf(step_module(self), 'nn.AbstractRecurrent') then
         step_module(self):setZeroMask(mask)
      else
         check.dimensions(self, 'mask', mask, 2, 99)
         self.zeroMask, self.zeroMaskStep = mask, 0
      end
   end

   for _, name in ipairs { 'getHiddenState', 'setHiddenState', 'getGradHiddenState', 'setGradHiddenState' } do
      Recurrent[name] = function(self) check.fail(self, '%s is not defined for this class', name) end
   end

   for _, name in ipairs { 'Add', 'Copy', 'Normal', 'ResizeAs', 'Set', 'TensorEq' } do
      Recurrent['recursive' .. name] = nn.rnn['recursive' .. name]
   end

   function Recurrent:__tostring__()
      local inputs, outputs = self.inputsize or self.inputSize, self.outputsize or self.outputSize
      if type(inputs) == 'number' and type(outputs) == 'number' then
         return string.format('%s(%d -> %d)', torch.type(self), inputs, outputs)
      end
      return parent.__tostring__(self)
   end
end

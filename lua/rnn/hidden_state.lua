-- Recurrent modules with a state of one or two tensors: hidden_state(Class, parts, nn) defines their steps. The
-- module of a step takes { input, state before, ... } and gives the state, a tensor or a table of two; the first
-- part is the output.
--
-- A part names the fields that hold the states of all steps and their gradients, the state that the program set before
-- the first step, the gradient that it set at the last one, and the gradient at the state before the first step:
-- { 'outputs', 'gradOutputs', 'userPrevOutput', 'userNextGradOutput', 'userGradPrevOutput' }.
--
-- Class:zeroState(input), if there is one, resizes self.zeroTensor, the first state, for an input.

local check = require 'torch.base.check'

return function(Class, parts, nn)
   local single = #parts == 1

   local function listed(state) if single then return { state } end return state end
   local function given(list) if single then return list[1] end return list end

   local function step_of(self, step, last)
      if step == nil then return last end
      if type(step) ~= 'number' then check.refuse(self, 'step', 'a number', step) end
      return step < 0 and last + 1 + step or step
   end

   -- The state after a step, by default the last one; after step 0 the first state, for an input of which it has the
   -- sizes.
   function Class:getHiddenState(step, input)
      step = step_of(self, step, self.step - 1)
      local list = {}
      if step == 0 and input ~= nil then self:zeroState(input) end
      for i, part in ipairs(parts) do
         local state = self[part[1]][step]
         if step == 0 then
            state = self[part[3]]
            if state == nil then state = self[part[1]][0] end
            if state == nil then state = self.zeroTensor end
         end
         if state == nil then check.fail(self, 'no state of step %s (got %d steps)', tostring(step), self.step - 1) end
         list[i] = state
      end
      return given(list)
   end

   -- Sets the states of a step; those of the step `outer` are copied into fields that stay when steps are
   -- forgotten.
   local function store(self, step, list, outer, history, kept)
      for i, part in ipairs(parts) do
         if step == outer then
            self[part[kept]] = (nn.rnn.recursiveCopy(self[part[kept]], list[i]))
         else
            self[part[history]][step] = list[i]
         end
      end
      return self
   end

   function Class:setHiddenState(step, state)
      if not single then check.kind(self, 'state', state, 'table') end
      return store(self, step_of(self, step, self.step - 1), listed(state), 0, 1, 3)
   end

   function Class:getGradHiddenState(step)
      step = step_of(self, step, (self.updateGradInputStep or self.step) - 1)
      local list, last = {}, step == self.step - 1
      for i, part in ipairs(parts) do
         local gradient
         if last then
            gradient = self[part[4]]
            if gradient == nil and i == 1 then gradient = self.gradPrevOutput end
         end
         if gradient == nil then gradient = self[part[2]][step] end
         if gradient == nil and last then gradient = self.zeroTensor end
         if gradient == nil then check.fail(self, 'no gradient of the state of step %s', tostring(step)) end
         list[i] = gradient
      end
      return given(list)
   end

   function Class:setGradHiddenState(step, state)
      step = step_of(self, step, (self.updateGradInputStep or self.step) - 1)
      return store(self, step, listed(state), self.step - 1, 2, 4)
   end

   function Class:updateOutput(input)
      local before = listed(self:getHiddenState(self.step - 1, input))
      local module = self:beginStep()
      local state = listed(module:updateOutput { input, unpack(before) })
      for i, part in ipairs(parts) do self[part[1]][self.step] = state[i] end
      if not single then self.cell = state[2] end
      return self:endStep(state[1])
   end

   function Class:_updateGradInput(input, gradOutput)
      local step = self.updateGradInputStep - 1
      local gradients = listed(self:getGradHiddenState(step))
      -- The sum of gradients from the next step and from outside, kept for accGradParameters.
      local sum = nn.rnn.recursiveCopy(self._gradOutputs[step], gradOutput)
      if not rawequal(gradients[1], self.zeroTensor) then nn.rnn.recursiveAdd(sum, gradients[1]) end
      self._gradOutputs[step], gradients[1] = sum, sum
      local inputs = { input, unpack(listed(self:getHiddenState(step - 1))) }
      local result = self:getStepModule(step):updateGradInput(inputs, given(gradients))
      local before = {}
      for i, part in ipairs(parts) do
         before[i] = result[i + 1]
         self[part[2]][step - 1] = before[i]
         if step == 1 then self[part[5]] = before[i] end
      end
      return result[1]
   end

   function Class:_accGradParameters(input, _, scale)
      local step = self.accGradParametersStep - 1
      local gradients = listed(self:getGradHiddenState(step))
      gradients[1] = self._gradOutputs[step]
      local inputs = { input, unpack(listed(self:getHiddenState(step - 1))) }
      self:getStepModule(step):accGradParameters(inputs, given(gradients), scale)
   end
end

-- Recurrent modules with a state of one or two tensors: hidden_state(Class, parts, nn, form) defines their steps. The
-- module of a step takes { input, previous state, ... } and gives the state, a tensor or a table of two; the first part
-- is the output.
--
-- A part names the fields that hold the states of all steps and their gradients, the state that the program set before
-- the first step, the gradient that it set at the last one, and the gradient at the state before the first step:
-- { 'outputs', 'gradOutputs', 'userPrevOutput', 'userNextGradOutput', 'userGradPrevOutput' }.
--
-- `form` is how methods take and give states: 'tensor', 'pair' for { output, cell }, or 'nested' for { output, states
-- within the module of a step }.
--
-- Class:zeroState(input) makes the first state for an input and gives it as a list; without an input it gives the last
-- one.

local check = require 'torch.base.check'

return function(Class, parts, nn, form)

   local function listed(state) if form == 'tensor' then return { state } end return state end

   -- A list of states as methods give it.
   local function given(self, list, method, step)
      if form == 'tensor' then return list[1] end
      if form == 'nested' then return { list[1], nn.Container[method](self, step) } end
      return list
   end

   local function step_of(self, step, last)
      if step == nil then return last end
      if type(step) ~= 'number' then check.argument_error(self, 'step', 'a number', step) end
      return step < 0 and last + 1 + step or step
   end

   -- The states after a step; after step 0 the first state, for an input of which it has the sizes.
   local function states(self, step, input)
      local list = {}
      local zeros = step == 0 and self:zeroState(input)
      for i, part in ipairs(parts) do
         local state = self[part[1]][step]
         if step == 0 then
            if self.startState ~= nil then
               state = listed(self.startState)[i]
            elseif self[part[3]] ~= nil then
               state = self[part[3]]
            elseif state == nil then
               state = zeros[i]
            end
         end
         if state == nil then check.fail(self, 'no state of step %s (got %d steps)', tostring(step), self.step - 1) end
         list[i] = state
      end
      return list
   end

   function Class:getHiddenState(step, input)
      step = step_of(self, step, self.step - 1)
      return given(self, states(self, step, input), 'getHiddenState', step)
   end

   local function store(self, step, state, history, method)
      if form ~= 'tensor' then check.kind(self, 'state', state, 'table') end
      for i, part in ipairs(parts) do
         local value = listed(state)[i]
         if form ~= 'nested' then check.tensor(self, 'state', value) end
         self[part[history]][step] = value
      end
      if form == 'nested' and state[2] then nn.Container[method](self, step, state[2]) end
      return self
   end

   function Class:setHiddenState(step, state)
      return store(self, step_of(self, step, self.step - 1), state, 1, 'setHiddenState')
   end

   local function gradients_of(self, step, input)
      local list, last = {}, step == self.step - 1
      for i, part in ipairs(parts) do
         self[part[2]] = self[part[2]] or {}
         local gradient = last and self[part[4]]
         if not gradient then gradient = self[part[2]][step] end
         if gradient == nil and last then gradient = self:zeroState(input)[i] end
         if gradient == nil then check.fail(self, 'no gradient of the state of step %s', tostring(step)) end
         list[i] = gradient
      end
      return list
   end

   function Class:getGradHiddenState(step, input)
      step = step_of(self, step, (self.updateGradInputStep or self.step) - 1)
      return given(self, gradients_of(self, step, input), 'getGradHiddenState', step)
   end

   function Class:setGradHiddenState(step, state)
      step = step_of(self, step, (self.updateGradInputStep or self.step) - 1)
      return store(self, step, state, 2, 'setGradHiddenState')
   end

   -- The module of a step takes and gives one state as a tensor, or a table where the program chose so.
   local function unpacked(state) if #parts == 1 then return { state } end return state end
   local function packed(list) if #parts == 1 then return list[1] end return list end

   -- In evaluation all steps have one module. That of a program may read the state after it began to write its output.
   local function copied_states(self, list)
      if self.train ~= false or form ~= 'nested' then return list end
      self._before = self._before or {}
      for i, state in ipairs(list) do self._before[i] = nn.rnn.recursiveCopy(self._before[i], state) end
      return self._before
   end

   function Class:_updateOutput(input)
      local before = copied_states(self, states(self, self.step - 1, input))
      local after = unpacked(self:presentModule():updateOutput { input, unpack(before) })
      for i, part in ipairs(parts) do self[part[1]][self.step] = after[i] end
      if #parts == 2 then self.cell = after[2] end
      return after[1]
   end

   function Class:_updateGradInput(input, gradOutput)
      local step = self.updateGradInputStep - 1
      local gradients = gradients_of(self, step, input)
      -- The sum of gradients from the next step and from outside, kept for accGradParameters.
      local sum = nn.rnn.recursiveAdd(nn.rnn.recursiveCopy(self._gradOutputs[step], gradients[1]), gradOutput)
      self._gradOutputs[step], gradients[1] = sum, sum
      local inputs = { input, unpack(states(self, step - 1)) }
      local result = self:getStepModule(step):updateGradInput(inputs, packed(gradients))
      for i, part in ipairs(parts) do
         self[part[2]][step - 1] = result[i + 1]
         if step == 1 then self[part[5]] = result[i + 1] end
      end
      return result[1]
   end

   function Class:_accGradParameters(input, _, scale)
      local step = self.accGradParametersStep - 1
      local gradients = gradients_of(self, step)
      gradients[1] = self._gradOutputs[step]
      local inputs = { input, unpack(states(self, step - 1)) }
      self:getStepModule(step):accGradParameters(inputs, packed(gradients), scale)
   end
end

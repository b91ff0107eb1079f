-- Layers over whole sequences, steps x batch x inputs, as one module: sequence_layer(Class, parent, nn, kind) gives a
-- class what the layers of LSTMs and GRUs share.
--
--    batchfirst   batch x steps x inputs instead
--    maskzero     masked samples of a step output zeros and reset their state: those of the mask that
--                 setZeroMask gave, or else those that are all zeros
--
-- The input may be { h0, sequence } or { c0, h0, sequence }, with the output and the cell before the first step;
-- gradInput has the same structure. A program may also set userPrevOutput and userPrevCell for the next sequence, and,
-- after forward, gradPrevOutput and userNextGradCell, the gradients at the state after the last step; backward sets
-- userGradPrevOutput and userGradPrevCell. The state before a sequence is in h0 and c0.

local torch = require 'torch'
local check, modes, zero_rows = require 'torch.base.check', require 'rnn.modes', require 'rnn.zero_rows'
local recurrent_sweep = require 'nn.kernels.recurrent_sweep'

return function(Class, parent, nn, kind)

   local cell = require 'rnn.gate_layers'(Class, kind)
   local Sequencer = nn.AbstractSequencer

   function Class:beginLayer()
      self._remember, self.batchfirst, self.h0 = 'neither', false, torch.Tensor()
      if cell.has_state then self.c0, self.grad_c0, self.cell = torch.Tensor(), torch.Tensor(), torch.Tensor() end
      -- Torch7's methods read them.
      for _, name in ipairs { 'gates', 'buffer1', 'buffer2', 'buffer3', 'grad_a_buffer', 'grad_h0', 'grad_x' } do
         self[name] = torch.Tensor()
      end
   end

   local function turned(self, t) return self.batchfirst and t:transpose(1, 2) or t end

   -- The sequence as steps x batch x inputs, and the initial output and cell if the program passed them.
   function Class:_prepare_size(input)
      local x, h, c = input, nil, nil
      if type(input) == 'table' and not torch.typename(input) then
         local count = #input
         if count ~= 2 and not (count == 3 and cell.has_state) then
            check.argument_error(self, 'input', cell.has_state
               and 'a sequence, { h0, sequence } or { c0, h0, sequence }'
               or 'a sequence or { h0, sequence }', input)
         end
         x, h, c = input[count], input[count - 1], count == 3 and input[1] or nil
      end
      check.same_type(self, 'input', check.tensor(self, 'input', x), self.weight)
      local inputs = self:gateSizes()
      if x:dim() ~= 3 or x:size(3) ~= inputs then
         check.argument_error(self, 'input', string.format(self.batchfirst and 'a tensor of batch x steps x %d' or
            'a tensor of steps x batch x %d', inputs), x)
      end
      return turned(self, x):contiguous(), h, c
   end

   -- The initial state: passed or set by the program, left by the previous sequence, or zeros.
   local function state_before(self, what, given, set, left, field, batch, size)
      local state = given or set or self:hasMemory() and left
      if not state then state = self.weight.new(batch, size):zero() end
      check.same_type(self, what, check.tensor(self, what, state), self.weight)
      if state:dim() ~= 2 or state:size(1) ~= batch or state:size(2) ~= size then
         check.argument_error(self, what, string.format('a tensor of %d x %d, the batch by the layer', batch, size),
            state)
      end
      if not given then
         if torch.type(self[field]) ~= state:type() then self[field] = state.new() end
         self[field]:resizeAs(state):copy(state)
      end
      return state
   end

   function Class:setZeroMask(mask)
      nn.MaskZero.setZeroMask(self, mask)
      self._zeroMask = nil
   end

   -- The masked samples: steps x batch x 1, or nil.
   local function masks_of(self, x)
      if not self.maskzero or self.zeroMask == false then return nil end
      local length, batch = x:size(1), x:size(2)
      -- In files of Element-Research `zeroMask` is a buffer, beside another in `_zeroMask`.
      if self.zeroMask == nil or self.v2 == false or self._zeroMask then
         return zero_rows.mask(self, x:view(length * batch, -1), 1):view(length, batch, 1)
      end
      local mask = self.zeroMask
      if mask:dim() ~= 2 or mask:size(1) ~= length or mask:size(2) ~= batch then
         check.argument_error(self, 'mask', string.format('a tensor of %d x %d, the steps by the batch', length,
            batch), mask)
      end
      return mask:contiguous():view(length, batch, 1)
   end

   function Class:updateOutput(input)
      local x, h, c = self:_prepare_size(input)
      local batch, start = x:size(2), self._startState or {}
      local _, hidden, outputs = self:gateSizes()
      h = state_before(self, 'output before', h, self.userPrevOutput or start[1], self._lastOutput, 'h0', batch,
         outputs)
      c = cell.has_state and
         state_before(self, 'cell before', c, self.userPrevCell or start[2], self._lastCell, 'c0', batch, hidden) or nil
      local run = recurrent_sweep.forward(cell, self:gateViews(self.weight, self.bias, self.weightO), x, h, c, hidden,
         false, masks_of(self, x))
      self._run, self._lastOutput, self._lastCell = run, run.last, run.state
      self.cell, self.gradPrevOutput, self._startState = run.states or nil, nil, nil
      self.userPrevOutput, self.userPrevCell = nil, nil
      self.output = self.batchfirst and run.y:transpose(1, 2):contiguous() or run.y
      return self.output
   end

   function Class:updateGradInput(input, gradOutput)
      local run = self._run
      if not run then check.fail(self, 'backward called before forward') end
      check.same_type(self, 'gradOutput', check.same_size(self, 'gradOutput', gradOutput, self.output), self.weight)
      local dh, dc = self.gradPrevOutput or self.grad_hT, self.userNextGradCell or self.grad_cT
      local dx = recurrent_sweep.backward(cell, self:gateViews(self.weight, self.bias, self.weightO), run,
         turned(self, gradOutput):contiguous(), dh, dc)
      self.gradPrevOutput, self.userNextGradCell = nil, nil
      self.userGradPrevOutput, self.userGradPrevCell = run.dbefore, run.dstate
      dx = self.batchfirst and dx:transpose(1, 2):contiguous() or dx
      if torch.isTensor(input) then
         self.gradInput = dx
      else
         self.gradInput = #input == 3 and { run.dstate, run.dbefore, dx } or { run.dbefore, dx }
      end
      return self.gradInput
   end

   Class.remember, Class.hasMemory = Sequencer.remember, Sequencer.hasMemory

   function Class:forget()
      self._lastOutput, self._lastCell, self._startState = nil, nil, nil
      for _, name in ipairs { 'h0', 'c0' } do
         if self[name] then self[name]:resize(0) end
      end
      return self
   end

   -- The initial state of the next sequence: an output, or { output, cell }.
   function Class:setStartState(state)
      if not cell.has_state then state = { state } end
      check.kind(self, 'state', state, 'table')
      for i, name in ipairs { 'h0', cell.has_state and 'c0' or nil } do
         check.same_type(self, 'state', check.tensor(self, 'state', state[i]), self.weight)
         self[name] = state[i]:clone()
      end
      self._startState = { self.h0:clone(), self.c0 and self.c0:clone() }
      return self
   end

   function Class:setHiddenState(step, state)
      if step ~= 0 then check.fail(self, 'setHiddenState is defined for step 0 alone (got %s)', tostring(step)) end
      return self:setStartState(state)
   end

   for _, name in ipairs { 'getHiddenState', 'getGradHiddenState', 'setGradHiddenState' } do
      Class[name] = function(self) check.fail(self, '%s is not defined for layers over whole sequences', name) end
   end

   -- Copies tensors of batch rows with zeros in the rows of a mask.
   function Class:recursiveMask(output, input, mask) return zero_rows.masked(self, output, input, mask, true) end

   function Class:resetStates() return self:forget() end

   modes(Class, parent)

   -- Gates of the weight, from: columns, to: rows of a module for steps, in another order.
   function Class:copyGates(to, from, order)
      local _, hidden = self:gateSizes()
      for i, gate in ipairs(order) do
         local columns = from:narrow(from:dim(), (gate - 1) * hidden + 1, hidden)
         to:narrow(1, (i - 1) * hidden + 1, hidden):copy(columns:dim() == 2 and columns:t() or columns)
      end
   end

   -- The same layer as a recurrent module of the later generation, with these weights.
   function Class:intoStep(recurrent)
      recurrent:type(self.weight:type())
      local step = recurrent.modules[1]
      for _, name in ipairs { 'weight', 'bias', 'gradWeight', 'gradBias', 'weightO', 'gradWeightO' } do
         if self[name] then step[name]:copy(self[name]) end
      end
      if self.maskzero then recurrent:maskZero(self.v2 == false) end
      return recurrent
   end
end

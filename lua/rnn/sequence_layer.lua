-- Layers over whole sequences, steps x batch x inputs, as one module: sequence_layer(Class, parent, nn, kind) gives a
-- class what those of LSTMs and GRUs share. The weight is (inputs + outputs) x gates, inputs first, with one bias.
--
--    batchfirst   batch x steps x inputs instead
--    maskzero     samples of a step that are all zeros put out zeros and start their state anew
--
-- The input may be { output before, sequence }, or { cell before, output before, sequence }; gradInput is alike. A
-- program may also set userPrevOutput and userPrevCell, and, after forward, gradPrevOutput and userNextGradCell, the
-- gradients at the state after the last step; backward sets userGradPrevOutput and userGradPrevCell.

local torch = require 'torch'
local check, modes, zero_rows = require 'torch.base.check', require 'rnn.modes', require 'rnn.zero_rows'
local recurrent_cells, recurrent_sweep = require 'nn.kernels.recurrent_cells', require 'nn.kernels.recurrent_sweep'

return function(Class, parent, nn, kind)

   local cell = recurrent_cells[kind]
   local Sequencer = nn.AbstractSequencer

   function Class:beginLayer()
      local D, R, columns = self.inputsize, self.outputsize, cell.gates * self.hiddensize
      self.weight, self.gradWeight = torch.Tensor(D + R, columns), torch.zeros(D + R, columns)
      self.bias, self.gradBias = torch.Tensor(columns), torch.zeros(columns)
      self._remember, self.batchfirst, self.maskzero = 'neither', false, false
      self:reset()
   end

   -- The weights, or gradients, as the sweep takes them.
   local function views(self, weight, bias, projection)
      local D = self.inputsize
      return { W = weight:narrow(1, 1, D):t(), R = weight:narrow(1, D + 1, self.outputsize):t(), bW = bias,
         P = projection }
   end

   local function turned(self, t) return self.batchfirst and t:transpose(1, 2) or t end

   -- The sequence as steps x batch x inputs, and the output and cell before it that the program gave.
   function Class:_prepare_size(input)
      local x, h, c = input, nil, nil
      if type(input) == 'table' and not torch.typename(input) then
         local count = #input
         if count ~= 2 and not (count == 3 and cell.has_state) then
            check.refuse(self, 'input', cell.has_state and 'a sequence, { h0, sequence } or { c0, h0, sequence }'
               or 'a sequence or { h0, sequence }', input)
         end
         x, h, c = input[count], input[count - 1], count == 3 and input[1] or nil
      end
      check.same_type(self, 'input', check.tensor(self, 'input', x), self.weight)
      if x:dim() ~= 3 or x:size(3) ~= self.inputsize then
         check.refuse(self, 'input', (self.batchfirst and 'a tensor of batch x steps x %d' or
            'a tensor of steps x batch x %d'):format(self.inputsize), x)
      end
      return turned(self, x):contiguous(), h, c
   end

   -- The state before the first step: given or set by the program, left by the sequence before, or zeros.
   local function state_before(self, what, given, set, left, batch, size)
      local state = given or self[set] or self:hasMemory() and self[left]
      if not state then return self.weight.new(batch, size):zero() end
      check.same_type(self, what, check.tensor(self, what, state), self.weight)
      if state:dim() ~= 2 or state:size(1) ~= batch or state:size(2) ~= size then
         check.refuse(self, what, ('a tensor of %d x %d, the batch by the layer'):format(batch, size), state)
      end
      return state
   end

   local function masks_of(self, x)
      if not self.maskzero then return nil end
      local length, batch = x:size(1), x:size(2)
      local mask = zero_rows.mask(self, x:view(length * batch, -1), 1)
      return mask:view(length, batch, 1)
   end

   function Class:updateOutput(input)
      local x, h, c = self:_prepare_size(input)
      local batch = x:size(2)
      h = state_before(self, 'output before', h, 'userPrevOutput', '_lastOutput', batch, self.outputsize)
      c = cell.has_state and
         state_before(self, 'cell before', c, 'userPrevCell', '_lastCell', batch, self.hiddensize) or nil
      local run = recurrent_sweep.forward(cell, views(self, self.weight, self.bias, self.weightO), x, h, c,
         self.hiddensize, false, masks_of(self, x))
      self._run, self._lastOutput, self._lastCell = run, run.last, run.state
      self.cell, self.gradPrevOutput = run.states or nil, nil
      self.output = self.batchfirst and run.y:transpose(1, 2):contiguous() or run.y
      return self.output
   end

   function Class:updateGradInput(input, gradOutput)
      local run = self._run
      if not run then check.fail(self, 'backward called before forward') end
      check.same_type(self, 'gradOutput', check.same_size(self, 'gradOutput', gradOutput, self.output), self.weight)
      local dx = recurrent_sweep.backward(cell, views(self, self.weight, self.bias, self.weightO), run,
         turned(self, gradOutput):contiguous(), self.gradPrevOutput, self.userNextGradCell)
      self.userGradPrevOutput, self.userGradPrevCell = run.dbefore, run.dstate
      dx = self.batchfirst and dx:transpose(1, 2):contiguous() or dx
      if torch.isTensor(input) then
         self.gradInput = dx
      else
         self.gradInput = #input == 3 and { run.dstate, run.dbefore, dx } or { run.dbefore, dx }
      end
      return self.gradInput
   end

   function Class:accGradParameters(input, gradOutput, scale)
      if not self._run or not self._run.dax then self:updateGradInput(input, gradOutput) end
      recurrent_sweep.accumulate(cell, views(self, self.gradWeight, self.gradBias, self.gradWeightO), self._run,
         scale or 1)
   end

   Class.remember, Class.hasMemory = Sequencer.remember, Sequencer.hasMemory

   function Class:forget()
      self._lastOutput, self._lastCell = nil, nil
      return self
   end

   -- Copies tensors of batch rows with zeros in the rows of a mask.
   function Class:recursiveMask(output, input, mask) return zero_rows.masked(self, output, input, mask, true) end

   function Class:resetStates() return self:forget() end

   function Class:maskZero()
      self.maskzero = true
      return self
   end

   modes(Class, parent)

   -- Gates of the weight, from: columns, to: rows of a module for steps, in another order.
   function Class:copyGates(to, from, order)
      local hidden = self.hiddensize
      for i, gate in ipairs(order) do
         local columns = from:narrow(from:dim(), (gate - 1) * hidden + 1, hidden)
         to:narrow(1, (i - 1) * hidden + 1, hidden):copy(columns:dim() == 2 and columns:t() or columns)
      end
   end
end

-- Recurrent networks over whole sequences: sequence x batch x input gives sequence x batch x hidden. All weights are
-- one flat vector in cuDNN's layout: for each layer and direction the matrices of the input and of the output, gate by
-- gate, then the biases in the same order.

local torch = require 'torch'
local check = require 'torch.base.check'
local recurrent_cells, recurrent_sweep = require 'nn.kernels.recurrent_cells', require 'nn.kernels.recurrent_sweep'

return function(cudnn)
   local RNN, parent = torch.class('cudnn.RNN', 'nn.Module', cudnn)

   function RNN:__init(inputSize, hiddenSize, numLayers, batchFirst, dropout, rememberStates)
      parent.__init(self)
      self.inputSize = check.size('RNN', 'input size', inputSize)
      self.hiddenSize = check.size('RNN', 'hidden size', hiddenSize)
      self.numLayers = check.size('RNN', 'number of layers', numLayers or 1)
      self.batchFirst, self.dropout, self.rememberStates = batchFirst or false, dropout or 0, rememberStates or false
      self.mode, self.directions = self.mode or 'RNNReLU', self.directions or 1
      self.train = true
      self:reset()
   end

   -- The number of weights.
   local function weight_count(self)
      local hidden, layers, directions = self.hiddenSize, self.numLayers, self.directions
      local inputs = self.inputSize + (layers - 1) * hidden * directions
      return directions * recurrent_cells[self.mode].gates * hidden * (inputs + layers * (hidden + 2))
   end

   -- The parts of the flat vector by layer: offsets of the matrices of the input and of the output, and of both biases.
   local function layout(self)
      local hidden, gates, count = self.hiddenSize, recurrent_cells[self.mode].gates, weight_count(self)
      if count ~= self.weight:nElement() then
         check.fail(self, 'weight must have %.17g elements (got %.17g)', count, self.weight:nElement())
      end
      local at, list = 1, {}
      for layer = 1, self.numLayers do
         local inputs = layer == 1 and self.inputSize or hidden * self.directions
         for _ = 1, self.directions do
            list[#list + 1] = { inputs = inputs, W = at, R = at + gates * hidden * inputs }
            at = at + gates * hidden * (inputs + hidden)
         end
      end
      for _, part in ipairs(list) do
         part.bW, part.bR = at, at + gates * hidden
         at = at + 2 * gates * hidden
      end
      return list
   end

   function RNN:reset(stdv)
      stdv = stdv or 1 / math.sqrt(self.hiddenSize)
      local count = check.size(self, 'the number of weights', weight_count(self))
      self.weight = (self.weight or torch.Tensor()):resize(count):uniform(-stdv, stdv)
      self.gradWeight = (self.gradWeight or torch.Tensor()):resize(count):zero()
      self:resetStates()
   end

   function RNN:parameters() return { self.weight }, { self.gradWeight } end

   -- There are no descriptors to reset: each call reads the fields as they are, `dropout` among them.
   for _, name in ipairs { 'Dropout', 'RNN', 'Weight', 'Input', 'Output' } do
      RNN['reset' .. name .. 'Descriptor'] = function() end
   end
   for _, name in ipairs { 'Hidden', 'Cell' } do RNN['reset' .. name .. 'Descriptors'] = function() end end

   -- Forgets the state in which the next sequence begins.
   function RNN:resetStates() self.hiddenOutput, self.cellOutput = nil, nil end

   -- Views of a flat vector for one layer and direction.
   local function views(self, flat, part)
      local rows, hidden = recurrent_cells[self.mode].gates * self.hiddenSize, self.hiddenSize
      return {
         W = flat:narrow(1, part.W, rows * part.inputs):view(rows, part.inputs),
         R = flat:narrow(1, part.R, rows * hidden):view(rows, hidden),
         bW = flat:narrow(1, part.bW, rows), bR = flat:narrow(1, part.bR, rows),
      }
   end

   local function sequence_of(self, x, what, size)
      check.dimensions(self, what, x, 2, 3)
      if x:size(x:dim()) ~= size then check.argument_error(self, what, 'a tensor of sequence x batch x ' .. size, x) end
      if x:dim() == 2 then x = x:contiguous():view(x:size(1), 1, size) end
      return (self.batchFirst and x:transpose(1, 2) or x):contiguous()
   end

   local function begin_of(self, which, number, batch)
      local given = self[which .. 'Input'] or self.rememberStates and self[which .. 'Output']
      if given and given:nElement() == self.numLayers * self.directions * batch * self.hiddenSize then
         return given:view(-1, batch, self.hiddenSize)[number]
      end
      return self.weight.new(batch, self.hiddenSize):zero()
   end

   local function run_layer(self, part, x, number, backwards)
      local cell, batch = recurrent_cells[self.mode], x:size(2)
      local c = cell.has_state and begin_of(self, 'cell', number, batch)
      local run = recurrent_sweep.forward(cell, views(self, self.weight, part), x,
         begin_of(self, 'hidden', number, batch), c, self.hiddenSize, backwards)
      return run.y, run
   end

   function RNN:updateOutput(input)
      local x = sequence_of(self, input, 'input', self.inputSize)
      self._runs, self._masks = {}, {}
      local list = layout(self)
      for layer = 1, self.numLayers do
         if layer > 1 and self.train ~= false and self.dropout > 0 then
            local mask = x.new():resizeAs(x):bernoulli(1 - self.dropout):div(1 - self.dropout)
            self._masks[layer] = mask
            x = torch.cmul(x, mask)
         end
         local outputs = {}
         for direction = 1, self.directions do
            local number = #self._runs + 1
            outputs[direction], self._runs[number] = run_layer(self, list[number], x, number, direction == 2)
         end
         x = self.directions == 2 and torch.cat(outputs, 3) or outputs[1]
      end
      local last, states = {}, {}
      for i, run in ipairs(self._runs) do
         last[i], states[i] = run.last:view(1, x:size(2), -1), run.state and run.state:view(1, x:size(2), -1)
      end
      self.hiddenOutput = torch.cat(last, 1)
      self.cellOutput = recurrent_cells[self.mode].has_state and torch.cat(states, 1) or nil
      if self.batchFirst then x = x:transpose(1, 2):contiguous() end
      self.output = input:dim() == 2 and x:view(input:size(1), -1) or x
      return self.output
   end

   -- The gradient that the program set at the state after the last step; nil without one.
   local function end_of(self, field, number, batch)
      local given = self[field]
      return given and given:view(-1, batch, self.hiddenSize)[number]
   end

   local function run_back(self, part, run, dy, number)
      local batch = dy:size(2)
      return recurrent_sweep.backward(recurrent_cells[self.mode], views(self, self.weight, part), run, dy,
         end_of(self, 'gradHiddenOutput', number, batch), end_of(self, 'gradCellOutput', number, batch))
   end

   function RNN:updateGradInput(input, gradOutput)
      if not self._runs then check.fail(self, 'backward called before forward') end
      check.same_size(self, 'gradOutput', gradOutput, self.output)
      local hidden = self.hiddenSize
      local dy = sequence_of(self, gradOutput, 'gradOutput', hidden * self.directions)
      local list = layout(self)
      for layer = self.numLayers, 1, -1 do
         local dx
         for direction = 1, self.directions do
            local number = (layer - 1) * self.directions + direction
            local part = self.directions == 2 and dy:narrow(3, (direction - 1) * hidden + 1, hidden):contiguous() or dy
            local d = run_back(self, list[number], self._runs[number], part, number)
            dx = dx and dx:add(d) or d
         end
         if self._masks[layer] then dx:cmul(self._masks[layer]) end
         dy = dx
      end
      if self.batchFirst then dy = dy:transpose(1, 2):contiguous() end
      self.gradInput = dy:viewAs(input)
      return self.gradInput
   end

   function RNN:accGradParameters(_, _, scale)
      scale = scale or 1
      local runs = self._runs or {}
      for number, part in ipairs(layout(self)) do
         local run = runs[number]
         if not (run and run.dax) then check.fail(self, 'accGradParameters called before updateGradInput') end
         recurrent_sweep.accumulate(recurrent_cells[self.mode], views(self, self.gradWeight, part), run, scale)
      end
   end

   function RNN:clearState()
      self._runs, self._masks = nil, nil
      self:resetStates()
      return parent.clearState(self)
   end

   function RNN:type(name, cache)
      if name then self._runs, self._masks = nil, nil end
      return parent.type(self, name, cache)
   end

   function RNN:__tostring__()
      local form = '%s(%d -> %d, %d layers)'
      -- Not a tail call, so that errors name the field.
      return (string.format(form, torch.typename(self), self.inputSize, self.hiddenSize, self.numLayers))
   end

   -- name, cell, directions
   for _, row in ipairs {
      { 'RNNReLU', 'RNNReLU', 1 }, { 'RNNTanh', 'RNNTanh', 1 }, { 'LSTM', 'LSTM', 1 }, { 'GRU', 'GRU', 1 },
      { 'BLSTM', 'LSTM', 2 }, { 'BGRU', 'GRU', 2 },
   } do
      local Class, base = torch.class('cudnn.' .. row[1], 'cudnn.RNN', cudnn)
      function Class:__init(...)
         self.mode, self.directions = row[2], row[3]
         base.__init(self, ...)
      end
   end
end

-- Recurrent networks over whole sequences: sequence x batch x input gives sequence x batch x hidden. All weights are
-- one flat vector, laid out as cuDNN lays it out: for each layer and direction the matrices of the input and of the
-- output, a gate after the other, and behind all matrices the biases in the same order.

local ipairs, sqrt = ipairs, math.sqrt
local torch = require 'torch'
local check, cells = require 'torch.core.check', require 'cudnn.cells'

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

   -- Where a layer's part of the flat vector is: { matrix of the input, of the output, biases of both }.
   local function places(self)
      local hidden, gates = self.hiddenSize, cells[self.mode].gates
      local at, list = 1, {}
      for layer = 1, self.numLayers do
         local inputs = layer == 1 and self.inputSize or hidden * self.directions
         for _ = 1, self.directions do
            list[#list + 1] = { inputs = inputs, W = at, R = at + gates * hidden * inputs }
            at = at + gates * hidden * (inputs + hidden)
         end
      end
      for _, place in ipairs(list) do
         place.bW, place.bR = at, at + gates * hidden
         at = at + 2 * gates * hidden
      end
      return list, at - 1
   end

   function RNN:reset(stdv)
      stdv = stdv or 1 / sqrt(self.hiddenSize)
      local _, count = places(self)
      self.weight = (self.weight or torch.Tensor()):resize(count):uniform(-stdv, stdv)
      self.gradWeight = (self.gradWeight or torch.Tensor()):resize(count):zero()
      self:resetStates()
   end

   function RNN:parameters() return { self.weight }, { self.gradWeight } end

   -- Forgets the state in which the next sequence begins.
   function RNN:resetStates() self.hiddenOutput, self.cellOutput = nil, nil end

   -- Views of a flat vector for one layer and direction.
   local function views(self, flat, place)
      local rows, hidden = cells[self.mode].gates * self.hiddenSize, self.hiddenSize
      return flat:narrow(1, place.W, rows * place.inputs):view(rows, place.inputs),
         flat:narrow(1, place.R, rows * hidden):view(rows, hidden),
         flat:narrow(1, place.bW, rows), flat:narrow(1, place.bR, rows)
   end

   local function sequence_of(self, x, what, size)
      check.dimensions(self, what, x, 2, 3)
      if x:size(x:dim()) ~= size then
         check.refuse(self, what, 'a tensor of sequence x batch x ' .. size, x)
      end
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

   -- Runs a layer in one direction over x, and keeps in `run` what backward needs.
   local function run_layer(self, place, x, number, backwards)
      local cell, length, batch = cells[self.mode], x:size(1), x:size(2)
      local W, R, bW, bR = views(self, self.weight, place)
      local ax = torch.mm(x:view(length * batch, place.inputs), W:t())
      ax:add(bW:view(1, -1):expandAs(ax))
      ax = ax:view(length, batch, -1)
      local run = { x = x, kept = {}, h = {}, first = begin_of(self, 'hidden', number, batch), backwards = backwards }
      local y = x.new(length, batch, self.hiddenSize)
      local h, c = run.first, cell.has_state and begin_of(self, 'cell', number, batch)
      for step = 1, length do
         local t = backwards and length + 1 - step or step
         run.h[t] = h
         local ah = torch.mm(h, R:t())
         ah:add(bR:view(1, -1):expandAs(ah))
         h, c, run.kept[t] = cell.forward(ax[t], ah, h, c, self.hiddenSize)
         y[t]:copy(h)
      end
      run.last, run.state = h, c
      return y, run
   end

   function RNN:updateOutput(input)
      local x = sequence_of(self, input, 'input', self.inputSize)
      self._runs, self._masks = {}, {}
      local list = places(self)
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
      self.cellOutput = cells[self.mode].has_state and torch.cat(states, 1) or nil
      if self.batchFirst then x = x:transpose(1, 2):contiguous() end
      self.output = input:dim() == 2 and x:view(input:size(1), -1) or x
      return self.output
   end

   -- Goes back through a layer in one direction; the gradients at its gates stay in `run`.
   local function run_back(self, place, run, dy, number)
      local cell, length, batch = cells[self.mode], dy:size(1), dy:size(2)
      local W, R = views(self, self.weight, place)
      local size = cell.gates * self.hiddenSize
      run.dax, run.dah = dy.new(length, batch, size), dy.new(length, batch, size)
      local dh = self.gradHiddenOutput and self.gradHiddenOutput:view(-1, batch, self.hiddenSize)[number]
         or dy.new(batch, self.hiddenSize):zero()
      local dc = self.gradCellOutput and self.gradCellOutput:view(-1, batch, self.hiddenSize)[number]
         or dy.new(batch, self.hiddenSize):zero()
      for step = length, 1, -1 do
         local t = run.backwards and length + 1 - step or step
         local dax, dah, straight, dstate = cell.backward(run.kept[t], dh + dy[t], dc)
         run.dax[t]:copy(dax)
         run.dah[t]:copy(dah)
         dh = torch.mm(dah, R)
         if straight then dh:add(straight) end
         dc = dstate
      end
      run.dfirst, run.dstate = dh, dc
      return torch.mm(run.dax:view(length * batch, size), W):view(length, batch, place.inputs)
   end

   function RNN:updateGradInput(input, gradOutput)
      if not self._runs then check.fail(self, 'forward expected before backward') end
      check.same_size(self, 'gradOutput', gradOutput, self.output)
      local hidden = self.hiddenSize
      local dy = sequence_of(self, gradOutput, 'gradOutput', hidden * self.directions)
      local list = places(self)
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
      for number, place in ipairs((places(self))) do
         local run = self._runs[number]
         if not run.dax then check.fail(self, 'updateGradInput expected before accGradParameters') end
         local rows = run.dax:size(1) * run.dax:size(2)
         local W, R, bW, bR = views(self, self.gradWeight, place)
         local dax, dah = run.dax:view(rows, -1), run.dah:view(rows, -1)
         local before = run.dax.new(run.dax:size(1), run.dax:size(2), self.hiddenSize)
         for t = 1, #run.h do before[t]:copy(run.h[t]) end
         W:addmm(scale, dax:t(), run.x:view(rows, place.inputs))
         R:addmm(scale, dah:t(), before:view(rows, -1))
         bW:add(scale, dax:sum(1):view(-1))
         bR:add(scale, dah:sum(1):view(-1))
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
      return ('%s(%d -> %d, %d layers)'):format(torch.typename(self), self.inputSize, self.hiddenSize, self.numLayers)
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

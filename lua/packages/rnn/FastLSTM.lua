-- nn.FastLSTM: long short-term memory without peepholes, whose four gates are one linear layer over the input and one
-- over the previous output: input gate, hidden layer, forget gate, output gate. FastLSTM.bn normalizes both over
-- batches, and the cell; FastLSTM.usenngraph builds the same step as a graph.

local check = require 'torch.base.check'

return function(FastLSTM, parent, nn)

   FastLSTM.usenngraph, FastLSTM.bn = false, false

   function FastLSTM:__init(inputSize, outputSize, rho, eps, momentum, affine, p, mono)
      self.eps, self.momentum, self.affine = eps, momentum, affine == nil or affine
      parent.__init(self, inputSize, outputSize, rho, nil, p, mono)
   end

   local function both(a, b) return nn.ConcatTable():add(a):add(b) end

   function FastLSTM:buildModel()
      self.i2g = self:gateLayer(nn.Linear, self.inputSize, 4)
      self.o2g = self:gateLayer(nn.LinearNoBias, self.outputSize, 4)
      if self.usenngraph or self.bn then return self:nngraphModel() end

      local gates = nn.Sequential():add(nn.NarrowTable(1, 2))
         :add(nn.ParallelTable():add(self.i2g):add(self.o2g)):add(nn.CAddTable())
         :add(nn.Reshape(4, self.outputSize)):add(nn.SplitTable(1, 2))
         :add(nn.ParallelTable():add(nn.Sigmoid()):add(nn.Tanh()):add(nn.Sigmoid()):add(nn.Sigmoid()))
      local hidden = nn.Sequential():add(nn.NarrowTable(1, 2)):add(nn.CMulTable())
      local cell = nn.Sequential():add(both(nn.SelectTable(3), nn.SelectTable(5))):add(nn.CMulTable())
      local next_cell = nn.Sequential():add(both(hidden, cell)):add(nn.CAddTable())
      local squashed = nn.Sequential():add(nn.SelectTable(1)):add(nn.Tanh())
      local output = nn.Sequential():add(both(squashed, nn.SelectTable(2))):add(nn.CMulTable())
      return nn.Sequential()
         :add(both(gates, nn.SelectTable(3))):add(nn.FlattenTable())         -- four gates and the previous cell
         :add(both(next_cell, nn.SelectTable(4))):add(nn.FlattenTable())     -- cell, output gate
         :add(both(output, nn.SelectTable(1)))                               -- output, cell
   end

   FastLSTM.gateLayer = nn.GRU.gateLayer

   -- The same as a graph. With normalization there is another bias, after that of the previous output.
   function FastLSTM:nngraphModel()
      require 'nngraph'
      local size = self.outputSize
      local input, output, cell = nn.Identity()(), nn.Identity()(), nn.Identity()()
      local function normalization(count)
         local layer = nn.BatchNormalization(count, self.eps, self.momentum, self.affine)
         if layer.weight then layer.weight:fill(0.1) end
         return layer
      end
      local from_input, from_output, of_cell = self.i2g(input), self.o2g(output), nil
      if self.bn then
         -- They are made in this order, in which they draw their weights.
         local of_input, of_output = normalization(4 * size), normalization(4 * size)
         of_cell = normalization(size)
         from_input, from_output = of_input(from_input), nn.Add(4 * size)(of_output(from_output))
      end
      local sums = nn.CAddTable() { from_input, from_output }
      local i, h, f, o = nn.SplitTable(1, 2)(nn.Reshape(4, size)(sums)):split(4)
      local next_cell = nn.CAddTable() {
         nn.CMulTable() { nn.Sigmoid()(f), cell }, nn.CMulTable() { nn.Sigmoid()(i), nn.Tanh()(h) },
      }
      local shown = of_cell and of_cell(next_cell) or next_cell
      local next_output = nn.CMulTable() { nn.Sigmoid()(o), nn.Tanh()(shown) }
      return nn.gModule({ input, output, cell }, { next_output, next_cell })
   end

   function FastLSTM:buildGate() check.fail(self, 'gates are one layer: buildGate is not defined') end
   FastLSTM.buildInputGate, FastLSTM.buildForgetGate = FastLSTM.buildGate, FastLSTM.buildGate
   FastLSTM.buildHidden, FastLSTM.buildCell = FastLSTM.buildGate, FastLSTM.buildGate
   FastLSTM.buildOutputGate = FastLSTM.buildGate
end

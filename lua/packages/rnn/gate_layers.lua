-- What layers with gates have in common, for single steps and for whole sequences: gate_layers(Class, kind) gives a
-- class its sizes, a weight of (inputs + outputs) x (gates * hidden) with the inputs first, a bias, and, for an LSTM,
-- an optional projection of the hidden layer to the output.

local torch = require 'torch'
local check = require 'torch.base.check'
local recurrent_cells, recurrent_sweep = require 'nn.kernels.recurrent_cells', require 'nn.kernels.recurrent_sweep'

return function(Class, kind)

   local cell = recurrent_cells[kind]

   -- The numbers of inputs, hidden elements and outputs; the two generations of the package name these fields
   -- differently.
   function Class:gateSizes()
      local outputs = self.outputsize or self.outputSize
      return self.inputsize or self.inputSize, self.hiddensize or outputs, outputs
   end

   function Class:beginGates(name, inputs, hidden, outputs, projects)
      self.inputsize = check.size(name, 'input size', inputs)
      self.hiddensize = check.size(name, cell.has_state and 'hidden size' or 'output size', hidden)
      self.outputsize = outputs == nil and self.hiddensize or check.size(name, 'output size', outputs)
      if projects or self.outputsize ~= self.hiddensize then
         self.weightO = torch.Tensor(self.hiddensize, self.outputsize)
         self.gradWeightO = torch.zeros(self.hiddensize, self.outputsize)
      end
      local rows, columns = self.inputsize + self.outputsize, cell.gates * self.hiddensize
      self.weight, self.gradWeight = torch.Tensor(rows, columns), torch.zeros(rows, columns)
      self.bias, self.gradBias = torch.Tensor(columns), torch.zeros(columns)
      self.maskzero = false
      self:reset()
   end

   -- The second gate, which keeps the state, is open at first: its biases are 1. As in the original, the biases that
   -- are filled are those from outputs + 1 to 2 * outputs, where the second gate is without a projection.
   function Class:reset(std)
      local inputs, hidden, outputs = self:gateSizes()
      self.bias:zero()
      local first, last = outputs + 1, math.min(2 * outputs, self.bias:size(1))
      if first <= last then self.bias:narrow(1, first, last - first + 1):fill(1) end
      self.weight:normal(0, std or 1 / math.sqrt(hidden + inputs))
      if self.weightO then self.weightO:normal(0, std or 1 / math.sqrt(outputs + hidden)) end
      return self
   end

   function Class:parameters()
      return { self.weight, self.bias, self.weightO }, { self.gradWeight, self.gradBias, self.gradWeightO }
   end

   -- The weights, or gradients, as the sweep takes them.
   function Class:gateViews(weight, bias, projection)
      local inputs, _, outputs = self:gateSizes()
      return { W = weight:narrow(1, 1, inputs):t(), R = weight:narrow(1, inputs + 1, outputs):t(), bW = bias,
         P = projection }
   end

   Class.dpnn_parameters = { 'weight', 'bias', cell.has_state and 'weightO' or nil }
   Class.dpnn_gradParameters = { 'gradWeight', 'gradBias', cell.has_state and 'gradWeightO' or nil }

   -- Outputs zeros for the samples that setZeroMask masks; without such a mask, or with `true`, for inputs that are
   -- rows of zeros.
   function Class:maskZero(by_rows)
      self.maskzero, self.v2 = true, not by_rows
      return self
   end

   function Class:sizesText()
      local inputs, hidden, outputs = self:gateSizes()
      if self.weightO then return string.format('(%d -> %d -> %d)', inputs, hidden, outputs) end
      return string.format('(%d -> %d)', inputs, outputs)
   end

   function Class:accGradParameters(input, gradOutput, scale)
      if not self._run or not self._run.dax then self:updateGradInput(input, gradOutput) end
      recurrent_sweep.accumulate(cell, self:gateViews(self.gradWeight, self.gradBias, self.gradWeightO), self._run,
         scale or 1)
   end

   -- The projection is updated as well.
   function Class:defaultAccUpdateGradParameters(input, gradOutput, lr)
      local weight, bias, projection = self.gradWeight, self.gradBias, self.gradWeightO
      self.gradWeight, self.gradBias, self.gradWeightO = self.weight, self.bias, self.weightO
      self:accGradParameters(input, gradOutput, -check.number(self, 'lr', lr))
      self.gradWeight, self.gradBias, self.gradWeightO = weight, bias, projection
   end

   return cell
end

-- nn.GRU: the gated recurrent unit: reset and update gates r and z from the input x and the previous output h: output =
-- (1 - z) * tanh(W x + U (r * h)) + z * h.

local torch = require 'torch'
local check, hidden_state = require 'torch.base.check', require 'rnn.hidden_state'

return function(GRU, parent, nn)

   hidden_state(GRU, { { 'outputs', 'gradOutputs', 'userPrevOutput', 'userNextGradOutput', 'userGradPrevOutput' } }, nn,
      'tensor')

   -- `p` is the probability of dropout of the inputs of each gate, and of the previous output; `mono` drops the same
   -- elements of all samples.
   function GRU:__init(inputSize, outputSize, rho, p, mono)
      parent.__init(self, rho or 9999)
      self.p, self.mono = check.number('GRU', 'p', p or 0), mono or false
      self.inputSize = check.size('GRU', 'input size', inputSize)
      self.outputSize = check.size('GRU', 'output size', outputSize or inputSize)
      self:setStepModule(self:buildModel())
      self.zeroTensor = torch.Tensor()
   end

   GRU.zeroState, GRU.dropped = nn.LSTM.zeroState, nn.LSTM.dropped

   local function both(a, b) return nn.ConcatTable():add(a):add(b) end

   -- The layers of `count` gates side by side. With dropout each gate has a layer and a mask of its own.
   function GRU:gateLayer(Layer, size, count)
      if self.p == 0 then return Layer(size, count * self.outputSize) end
      local masks, layers = nn.ConcatTable(), nn.ParallelTable()
      for _ = 1, count do
         masks:add(nn.Dropout(self.p, false, false, true, self.mono))
         layers:add(Layer(size, self.outputSize))
      end
      return nn.Sequential():add(masks):add(layers):add(nn.JoinTable(1, 1))
   end

   function GRU:buildModel()
      self.i2g = self:gateLayer(nn.Linear, self.inputSize, 2)
      self.o2g = self:gateLayer(nn.LinearNoBias, self.outputSize, 2)
      local gates = nn.Sequential():add(nn.ParallelTable():add(self.i2g):add(self.o2g)):add(nn.CAddTable())
         :add(nn.Reshape(2, self.outputSize)):add(nn.SplitTable(1, 2))
         :add(nn.ParallelTable():add(nn.Sigmoid()):add(nn.Sigmoid()))
      local linear = nn.Linear(self.inputSize, self.outputSize)
      local from_input = nn.Sequential():add(nn.SelectTable(1)):add(self:dropped(linear))
      local from_output = nn.Sequential():add(nn.NarrowTable(2, 2)):add(nn.CMulTable())
         :add(self:dropped(nn.LinearNoBias(self.outputSize, self.outputSize)))
      local hidden = nn.Sequential():add(both(from_input, from_output)):add(nn.CAddTable()):add(nn.Tanh())
      local rest = nn.Sequential():add(nn.SelectTable(4)):add(nn.SAdd(-1, true))
      local new = nn.Sequential():add(both(hidden, rest)):add(nn.CMulTable())
      local kept = nn.Sequential():add(nn.NarrowTable(4, 2)):add(nn.CMulTable())
      return nn.Sequential()
         :add(both(nn.Identity(), gates)):add(nn.FlattenTable())                     -- input, previous output, r, z
         :add(both(nn.NarrowTable(1, 4), nn.SelectTable(2))):add(nn.FlattenTable())  -- and the previous output again
         :add(nn.Sequential():add(both(new, kept)):add(nn.CAddTable()))
   end

   -- Copies the parameters of a layer without dropout, whose gates are side by side.
   function GRU:migrate(params)
      local own = self:parameters()
      if #own ~= 9 or #check.kind(self, 'parameters', params, 'table') ~= 6 then
         check.fail(self, 'migrate: 6 parameters of a GRU without dropout go into one with dropout (got %d, for %d)',
            #params, #own)
      end
      local size = self.outputSize
      for gate = 0, 1 do
         for i, which in ipairs { 1, 2 } do own[2 * gate + i]:copy(params[which]:narrow(1, gate * size + 1, size)) end
         own[5 + gate]:copy(params[3]:narrow(1, gate * size + 1, size))
      end
      for i = 4, 6 do own[i + 3]:copy(params[i]) end
   end
end

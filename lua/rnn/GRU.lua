-- nn.GRU: the gated recurrent unit: reset and update gates r and z from the input and the output before,
-- output = (1 - z) * tanh(W input + U (r * output before)) + z * output before.

local torch = require 'torch'
local check, hidden_state = require 'torch.base.check', require 'rnn.hidden_state'

return function(GRU, parent, nn)

   hidden_state(GRU, { { 'outputs', 'gradOutputs', 'userPrevOutput', 'userNextGradOutput', 'userGradPrevOutput' } }, nn)

   function GRU:__init(inputSize, outputSize, rho, p, mono)
      parent.__init(self, rho or 9999)
      if p and p ~= 0 then check.refuse('GRU', 'dropout inside of steps is not supported: p', '0', p) end
      self.p, self.mono = 0, mono or false
      self.inputSize = check.size('GRU', 'input size', inputSize)
      self.outputSize = check.size('GRU', 'output size', outputSize or inputSize)
      self.recurrentModule = self:buildModel()
      self.modules[1], self.sharedClones[1] = self.recurrentModule, self.recurrentModule
      self.zeroTensor, self.gradOutputs = torch.Tensor(), {}
   end

   GRU.zeroState = nn.LSTM.zeroState

   local function both(a, b) return nn.ConcatTable():add(a):add(b) end

   function GRU:buildModel()
      self.i2g = nn.Linear(self.inputSize, 2 * self.outputSize)
      self.o2g = nn.LinearNoBias(self.outputSize, 2 * self.outputSize)
      local gates = nn.Sequential():add(nn.ParallelTable():add(self.i2g):add(self.o2g)):add(nn.CAddTable())
         :add(nn.Reshape(2, self.outputSize)):add(nn.SplitTable(1, 2))
         :add(nn.ParallelTable():add(nn.Sigmoid()):add(nn.Sigmoid()))
      local from_input = nn.Sequential():add(nn.SelectTable(1)):add(nn.Linear(self.inputSize, self.outputSize))
      local from_output = nn.Sequential():add(nn.NarrowTable(2, 2)):add(nn.CMulTable())
         :add(nn.LinearNoBias(self.outputSize, self.outputSize))
      local hidden = nn.Sequential():add(both(from_input, from_output)):add(nn.CAddTable()):add(nn.Tanh())
      local rest = nn.Sequential():add(nn.SelectTable(4)):add(nn.SAdd(-1, true))
      local new = nn.Sequential():add(both(hidden, rest)):add(nn.CMulTable())
      local kept = nn.Sequential():add(nn.NarrowTable(4, 2)):add(nn.CMulTable())
      return nn.Sequential()
         :add(both(nn.Identity(), gates)):add(nn.FlattenTable())                     -- input, output before, r, z
         :add(both(nn.NarrowTable(1, 4), nn.SelectTable(2))):add(nn.FlattenTable())  -- and the output before again
         :add(nn.Sequential():add(both(new, kept)):add(nn.CAddTable()))
   end

   -- Objects of files that were written before p was there.
   function GRU:migrate(params)
      for key, value in pairs(params) do self[key] = value end
      self.p, self.mono = self.p or 0, self.mono or false
   end
end

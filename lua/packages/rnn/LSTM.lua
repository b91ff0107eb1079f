-- nn.LSTM: long short-term memory with peepholes: the gates also read the cell.

local torch = require 'torch'
local check, hidden_state = require 'torch.base.check', require 'rnn.hidden_state'

return function(LSTM, parent, nn)

   hidden_state(LSTM, {
      { 'outputs', 'gradOutputs', 'userPrevOutput', 'userNextGradOutput', 'userGradPrevOutput' },
      { 'cells', 'gradCells', 'userPrevCell', 'userNextGradCell', 'userGradPrevCell' },
   }, nn, 'pair')

   -- `p` is the probability of dropout of the inputs of each gate, and of the previous output; `mono` drops the same
   -- elements of all samples.
   function LSTM:__init(inputSize, outputSize, rho, cell2gate, p, mono)
      parent.__init(self, rho or 9999)
      self.p, self.mono = check.number('LSTM', 'p', p or 0), mono or false
      self.inputSize = check.size('LSTM', 'input size', inputSize)
      self.outputSize = check.size('LSTM', 'output size', outputSize or inputSize)
      self.cell2gate = cell2gate == nil or cell2gate
      self:setStepModule(self:buildModel())
      -- The output and cell before the first step, and the gradients after the last one.
      self.zeroTensor = torch.Tensor()
      self.cells, self.gradCells = {}, {}
   end

   function LSTM:zeroState(input)
      if input ~= nil then
         check.dimensions(self, 'input', input, 1, 2)
         if input:dim() == 2 then
            self.zeroTensor:resize(input:size(1), self.outputSize):zero()
         else
            self.zeroTensor:resize(self.outputSize):zero()
         end
      end
      return { self.zeroTensor, self.zeroTensor }
   end

   -- Changing the type resets the state.
   function LSTM:type(name, cache)
      if name then
         self:forget()
         self:clearState()
      end
      return parent.type(self, name, cache)
   end

   -- A layer, after dropout if there is any.
   function LSTM:dropped(layer)
      if self.p == 0 then return layer end
      return nn.Sequential():add(nn.Dropout(self.p, false, false, true, self.mono)):add(layer)
   end

   -- The sum of linear layers over the input and the previous output.
   local function linear_layers(self)
      return nn.ParallelTable():add(self:dropped(nn.Linear(self.inputSize, self.outputSize)))
         :add(self:dropped(nn.LinearNoBias(self.outputSize, self.outputSize)))
   end

   -- Gates take { input, previous output, previous cell }.
   function LSTM:buildGate()
      local gate = nn.Sequential()
      if not self.cell2gate then gate:add(nn.NarrowTable(1, 2)) end
      local sum = linear_layers(self)
      if self.cell2gate then sum:add(nn.CMul(self.outputSize)) end
      return gate:add(sum):add(nn.CAddTable()):add(nn.Sigmoid())
   end

   for method, field in pairs { buildInputGate = 'inputGate', buildForgetGate = 'forgetGate',
      buildOutputGate = 'outputGate' } do
      LSTM[method] = function(self)
         self[field] = self:buildGate()
         return self[field]
      end
   end

   function LSTM:buildHidden()
      self.hiddenLayer = nn.Sequential():add(nn.NarrowTable(1, 2)):add(linear_layers(self))
         :add(nn.CAddTable()):add(nn.Tanh())
      return self.hiddenLayer
   end

   local function both(a, b) return nn.ConcatTable():add(a):add(b) end

   -- cell = forget gate * previous cell + input gate * hidden layer
   function LSTM:buildCell()
      self:buildInputGate()
      self:buildForgetGate()
      self:buildHidden()
      local forget = nn.Sequential():add(both(self.forgetGate, nn.SelectTable(3))):add(nn.CMulTable())
      local input = nn.Sequential():add(both(self.inputGate, self.hiddenLayer)):add(nn.CMulTable())
      self.cellLayer = nn.Sequential():add(both(forget, input)):add(nn.CAddTable())
      return self.cellLayer
   end

   -- output = output gate * tanh(cell); the module gives { output, cell }.
   function LSTM:buildModel()
      self:buildCell()
      self:buildOutputGate()
      local squashed = nn.Sequential():add(nn.SelectTable(3)):add(nn.Tanh())
      local output = nn.Sequential():add(both(self.outputGate, squashed)):add(nn.CMulTable())
      return nn.Sequential():add(both(nn.NarrowTable(1, 2), self.cellLayer)):add(nn.FlattenTable())
         :add(both(output, nn.SelectTable(3)))
   end
end

-- nn.RecLSTM and nn.RecGRU: an nn.StepLSTM or nn.StepGRU as a recurrent module. Inputs are batches.

local torch = require 'torch'
local check, hidden_state = require 'torch.base.check', require 'rnn.hidden_state'

return function(Class, parent, nn, name)

   local is_lstm = name == 'RecLSTM'
   local parts = { { 'outputs', 'gradOutputs', 'userPrevOutput', 'userNextGradOutput', 'userGradPrevOutput' } }
   if is_lstm then parts[2] = { 'cells', 'gradCells', 'userPrevCell', 'userNextGradCell', 'userGradPrevCell' } end
   hidden_state(Class, parts, nn, is_lstm and 'pair' or 'tensor')

   function Class:__init(inputsize, hiddensize, outputsize)
      local step = is_lstm and nn.StepLSTM(inputsize, hiddensize, outputsize) or nn.StepGRU(inputsize, hiddensize)
      parent.__init(self, step)
      self.inputsize, self.hiddensize, self.outputsize = step:gateSizes()
      self.zeroOutput = torch.Tensor()
      if is_lstm then self.zeroCell, self.cells, self.gradCells = torch.Tensor(), {}, {} end
   end

   if not is_lstm then
      local make = Class.__init
      function Class:__init(inputsize, outputsize) make(self, inputsize, outputsize) end
   end

   function Class:zeroState(input)
      if input ~= nil then
         check.dimensions(self, 'input', input, 2, 2)
         local _, hidden, outputs = self.modules[1]:gateSizes()
         self.zeroOutput:resize(input:size(1), outputs):zero()
         if is_lstm then self.zeroCell:resize(input:size(1), hidden):zero() end
      end
      return { self.zeroOutput, self.zeroCell }
   end

   -- The first state stays when steps are forgotten.
   local set = Class.setHiddenState
   function Class:setHiddenState(step, state)
      if (step or self.step - 1) ~= 0 then return set(self, step, state) end
      for i, part in ipairs(is_lstm and check.kind(self, 'state', state, 'table') or { state }) do
         check.tensor(self, i == 1 and 'state' or 'cell', part)
      end
      return self:setStartState(state)
   end

   function Class:maskZero(by_rows)
      for _, module in pairs(self.sharedClones) do module:maskZero(by_rows) end
      self.modules[1]:maskZero(by_rows)
      return self
   end

   function Class:clearState()
      self.startState = nil
      return parent.clearState(self)
   end

   -- Changing the type resets the state.
   Class.type = function(self, to, cache)
      if to then
         self:forget()
         self:clearState()
      end
      return parent.type(self, to, cache)
   end

   function Class:__tostring__()
      local inputs, _, outputs = self.modules[1]:gateSizes()
      return string.format('%s(%d -> %d)', torch.type(self), inputs, outputs)
   end
end

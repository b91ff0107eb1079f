-- nn.SeqBRNN: two nn.SeqLSTM over a sequence, one from each end, and a merge of their outputs, by default the sum.

local torch = require 'torch'
local check = require 'torch.base.check'

return function(SeqBRNN, parent, nn)

   function SeqBRNN:__init(inputDim, hiddenDim, batchFirst, merge)
      parent.__init(self)
      if merge ~= nil and not torch.isTypeOf(merge, 'nn.Module') then
         check.argument_error('SeqBRNN', 'argument 4', 'a module', merge)
      end
      self.dim = 1
      self.forwardModule, self.backwardModule = nn.SeqLSTM(inputDim, hiddenDim), nn.SeqLSTM(inputDim, hiddenDim)
      self.merge = merge or nn.CAddTable()
      local backward = nn.Sequential():add(nn.SeqReverseSequence(self.dim)):add(self.backwardModule)
         :add(nn.SeqReverseSequence(self.dim))
      self.module = nn.Sequential():add(nn.ConcatTable():add(self.forwardModule):add(backward)):add(self.merge)
      if batchFirst then
         self.module:insert(nn.Transpose { 1, 2 }, 1)
         self.module:add(nn.Transpose { 1, 2 })
      end
      self.modules[1] = self.module
   end

   nn.Decorator.decorate(SeqBRNN)
   SeqBRNN.accUpdateGradParameters = nn.Sequencer.accUpdateGradParameters
   SeqBRNN.sharedAccUpdateGradParameters = nn.Sequencer.accUpdateGradParameters
end

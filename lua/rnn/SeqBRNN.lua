-- nn.SeqBRNN: two nn.SeqLSTM over a sequence, one from each end, and a merge of their outputs, by default the sum.

local torch = require 'torch'
local check = require 'torch.base.check'

return function(SeqBRNN, parent, nn)

   function SeqBRNN:__init(inputDim, hiddenDim, batchFirst, merge)
      parent.__init(self)
      if merge ~= nil and not torch.isTypeOf(merge, 'nn.Module') then
         check.refuse('SeqBRNN', 'argument 4', 'a module', merge)
      end
      self.batchFirst, self.dim = batchFirst or false, batchFirst and 2 or 1
      self.forwardModule, self.backwardModule = nn.SeqLSTM(inputDim, hiddenDim), nn.SeqLSTM(inputDim, hiddenDim)
      self.forwardModule.batchfirst, self.backwardModule.batchfirst = self.batchFirst, self.batchFirst
      self.mergeModule = merge or nn.CAddTable()
      local backward = nn.Sequential():add(nn.SeqReverseSequence(self.dim)):add(self.backwardModule)
         :add(nn.SeqReverseSequence(self.dim))
      self.module = nn.Sequential():add(nn.ConcatTable():add(self.forwardModule):add(backward)):add(self.mergeModule)
      self.modules[1] = self.module
   end

   nn.Decorator.decorate(SeqBRNN)
   SeqBRNN.accUpdateGradParameters = nn.Sequencer.accUpdateGradParameters
   SeqBRNN.sharedAccUpdateGradParameters = nn.Sequencer.accUpdateGradParameters
end

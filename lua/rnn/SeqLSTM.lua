-- nn.SeqLSTM: long short-term memory over whole sequences, steps x batch x inputs. Gates in the columns of the weight:
-- input, forget, output, candidate.

local check = require 'torch.base.check'

return function(SeqLSTM, parent, nn)

   require 'rnn.sequence_layer'(SeqLSTM, parent, nn, 'SeqLSTM')

   function SeqLSTM:__init(inputsize, hiddensize, outputsize)
      parent.__init(self)
      self.inputsize = check.size('SeqLSTM', 'input size', inputsize)
      self.hiddensize = check.size('SeqLSTM', 'hidden size', hiddensize)
      self.outputsize = check.size('SeqLSTM', 'output size', outputsize or hiddensize)
      if not self.weightO and self.outputsize ~= self.hiddensize then
         check.fail('SeqLSTM',
            'output size must be the hidden size, %d, without a projection; see nn.SeqLSTMP (got %d)',
            self.hiddensize, self.outputsize)
      end
      self:beginLayer()
   end

   -- The forget gate is open at first.
   function SeqLSTM:reset(std)
      self.bias:zero()
      self.bias:narrow(1, self.hiddensize + 1, self.hiddensize):fill(1)
      self.weight:normal(0, std or 1 / math.sqrt(self.hiddensize + self.inputsize))
      return self
   end

   -- Maps the hidden layer of a step to its output, forwards and backwards: in this class they are the same.
   function SeqLSTM:adapter() end

   function SeqLSTM:gradAdapter() end

   -- The same layer for single steps.
   function SeqLSTM:toFastLSTM()
      if self.weightO then check.fail(self, 'toFastLSTM is not defined for layers with a projection') end
      local D, H = self.inputsize, self.hiddensize
      local lstm = nn.FastLSTM(D, H)
      lstm:type(self.weight:type())
      local order = { 1, 4, 2, 3 }
      for _, prefix in ipairs { 'weight', 'gradWeight' } do
         self:copyGates(lstm.i2g[prefix], self[prefix]:narrow(1, 1, D), order)
         self:copyGates(lstm.o2g[prefix], self[prefix]:narrow(1, D + 1, H), order)
      end
      self:copyGates(lstm.i2g.bias, self.bias, order)
      self:copyGates(lstm.i2g.gradBias, self.gradBias, order)
      return lstm
   end
end

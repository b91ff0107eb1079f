-- nn.SeqLSTM: long short-term memory over whole sequences, steps x batch x inputs. Gates in the columns of the weight:
-- input, forget, output, candidate.

local torch = require 'torch'
local check = require 'torch.base.check'

return function(SeqLSTM, parent, nn)

   require 'rnn.sequence_layer'(SeqLSTM, parent, nn, 'SeqLSTM')

   -- With an output size the output is a projection of the hidden layer.
   function SeqLSTM:__init(inputsize, hiddensize, outputsize)
      parent.__init(self)
      self:beginLayer()
      self:beginGates(string.match(torch.type(self), '[%w_]+$'), inputsize, hiddensize, outputsize,
         outputsize ~= nil)
   end

   function SeqLSTM:toRecLSTM()
      local D, H, R = self:gateSizes()
      return self:intoStep(nn.RecLSTM(D, H, self.weightO and R or nil))
   end

   -- Maps the hidden layer of a step to its output, forwards and backwards: in this class they are the same.
   function SeqLSTM:adapter() end

   function SeqLSTM:gradAdapter() end

   -- The same layer for single steps.
   function SeqLSTM:toFastLSTM()
      if self.weightO then check.fail(self, 'toFastLSTM is not defined for layers with a projection') end
      local D, H = self:gateSizes()
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

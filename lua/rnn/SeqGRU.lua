-- nn.SeqGRU: gated recurrent units over whole sequences, steps x batch x inputs. Gates in the columns of the weight:
-- update, reset, candidate.

local check = require 'torch.base.check'

return function(SeqGRU, parent, nn)

   require 'rnn.sequence_layer'(SeqGRU, parent, nn, 'SeqGRU')

   function SeqGRU:__init(inputsize, outputsize)
      parent.__init(self)
      self.inputsize = check.size('SeqGRU', 'input size', inputsize)
      self.outputsize = check.size('SeqGRU', 'output size', outputsize)
      self.hiddensize = self.outputsize
      self:beginLayer()
   end

   function SeqGRU:reset(std)
      self.bias:zero()
      self.weight:normal(0, std or 1 / math.sqrt(self.outputsize + self.inputsize))
      return self
   end

   -- The same layer for single steps.
   function SeqGRU:toGRU()
      local D, H = self.inputsize, self.outputsize
      local gru = nn.GRU(D, H)
      gru:type(self.weight:type())
      local parameters, gradients = gru.recurrentModule:parameters()
      local function copy(to, weight, bias)
         local from_input, from_output = weight:narrow(1, 1, D), weight:narrow(1, D + 1, H)
         self:copyGates(to[1], from_input, { 2, 1 })
         self:copyGates(to[2], bias, { 2, 1 })
         self:copyGates(to[3], from_output, { 2, 1 })
         self:copyGates(to[4], from_input, { 3 })
         self:copyGates(to[5], bias, { 3 })
         self:copyGates(to[6], from_output, { 3 })
      end
      copy(parameters, self.weight, self.bias)
      copy(gradients, self.gradWeight, self.gradBias)
      return gru
   end
end

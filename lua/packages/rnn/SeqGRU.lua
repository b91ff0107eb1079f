-- nn.SeqGRU: gated recurrent units over whole sequences, steps x batch x inputs. Gates in the columns of the weight:
-- reset, update, candidate.

return function(SeqGRU, parent, nn)

   require 'rnn.sequence_layer'(SeqGRU, parent, nn, 'SeqGRU')

   function SeqGRU:__init(inputsize, outputsize)
      parent.__init(self)
      self:beginLayer()
      self:beginGates('SeqGRU', inputsize, outputsize)
      -- Element-Research's names.
      self.inputSize, self.outputSize = self.inputsize, self.outputsize
   end

   -- The same layer for single steps.
   function SeqGRU:toGRU()
      local D, H = self:gateSizes()
      local gru = nn.GRU(D, H)
      gru:type(self.weight:type())
      local parameters, gradients = gru.recurrentModule:parameters()
      local function copy(to, weight, bias)
         local from_input, from_output = weight:narrow(1, 1, D), weight:narrow(1, D + 1, H)
         self:copyGates(to[1], from_input, { 1, 2 })
         self:copyGates(to[2], bias, { 1, 2 })
         self:copyGates(to[3], from_output, { 1, 2 })
         self:copyGates(to[4], from_input, { 3 })
         self:copyGates(to[5], bias, { 3 })
         self:copyGates(to[6], from_output, { 3 })
      end
      copy(parameters, self.weight, self.bias)
      copy(gradients, self.gradWeight, self.gradBias)
      return gru
   end

   function SeqGRU:toRecGRU()
      local D, H = self:gateSizes()
      return self:intoStep(nn.RecGRU(D, H))
   end
end

-- nn.SeqLSTMP: an nn.SeqLSTM whose output is a projection of the hidden layer, which the next step sees too.

local torch = require 'torch'
local check = require 'torch.base.check'

return function(SeqLSTMP, parent)

   function SeqLSTMP:__init(inputsize, hiddensize, outputsize)
      check.size('SeqLSTMP', 'hidden size', hiddensize)
      check.size('SeqLSTMP', 'output size', outputsize)
      self.weightO, self.gradWeightO = torch.Tensor(hiddensize, outputsize), torch.zeros(hiddensize, outputsize)
      parent.__init(self, inputsize, hiddensize, outputsize)
   end

   function SeqLSTMP:reset(std)
      parent.reset(self, std)
      self.weightO:normal(0, std or 1 / math.sqrt(self.outputsize + self.hiddensize))
      return self
   end

   function SeqLSTMP:parameters()
      return { self.weight, self.bias, self.weightO }, { self.gradWeight, self.gradBias, self.gradWeightO }
   end

   function SeqLSTMP:defaultAccUpdateGradParameters(input, gradOutput, lr)
      local gradient = self.gradWeightO
      self.gradWeightO = self.weightO
      parent.defaultAccUpdateGradParameters(self, input, gradOutput, lr)
      self.gradWeightO = gradient
   end
end

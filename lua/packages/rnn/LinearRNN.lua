-- nn.LinearRNN: output = transfer(W {input, previous output} + b), by default with nn.Sigmoid.

local torch = require 'torch'

return function(LinearRNN, parent, nn)

   function LinearRNN:__init(inputsize, outputsize, transfer)
      local step = nn.Sequential():add(nn.JoinTable(1, 1)):add(nn.Linear(inputsize + outputsize, outputsize))
         :add(transfer or nn.Sigmoid())
      parent.__init(self, step, outputsize, 1)
      self.inputsize, self.outputsize = inputsize, outputsize
   end

   function LinearRNN:__tostring__()
      return string.format('%s(%d -> %d)', torch.type(self), self.inputsize, self.outputsize)
   end
end

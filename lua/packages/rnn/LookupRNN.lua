-- nn.LookupRNN: output = transfer(merge{row of a lookup table, W * previous output + b}), by default with nn.Sigmoid
-- and nn.CAddTable. The index 0 stands for a row of zeros.

local torch = require 'torch'

return function(LookupRNN, parent, nn)

   function LookupRNN:__init(nindex, outputsize, transfer, merge)
      local step = nn.Sequential()
         :add(nn.ParallelTable():add(nn.LookupTableMaskZero(nindex, outputsize)):add(nn.Linear(outputsize, outputsize)))
         :add(merge or nn.CAddTable()):add(transfer or nn.Sigmoid())
      parent.__init(self, step, outputsize, 0)
      self.nindex, self.outputsize = nindex, outputsize
   end

   function LookupRNN:__tostring__() return string.format('%s(%d -> %d)', torch.type(self), self.nindex,
      self.outputsize) end
end

-- nn.SeqLSTMP: an nn.SeqLSTM whose output is a projection of the hidden layer, which the next step sees too.

local check = require 'torch.base.check'

return function(SeqLSTMP, parent)

   function SeqLSTMP:__init(inputsize, hiddensize, outputsize)
      check.size('SeqLSTMP', 'hidden size', hiddensize)
      check.size('SeqLSTMP', 'output size', outputsize)
      parent.__init(self, inputsize, hiddensize, outputsize)
   end

   local function step_of(self, t, list)
      local count = list and self._run.x:size(1) or 0
      if count == 0 then check.fail(self, 'a step has no projection before forward and backward of a sequence') end
      return list[check.integer(self, 'step', t, 1, count)]
   end

   -- Projects the hidden layer of a step, as the latest forward left it, into the output.
   function SeqLSTMP:adapter(t)
      local hidden = step_of(self, t, self._run and self._run.raw)
      self.output:select(self.batchfirst and 2 or 1, t):copy(hidden * self.weightO)
   end

   -- Adds the gradient of the projection at a step, after backward; accGradParameters adds that of all steps.
   function SeqLSTMP:gradAdapter(scale, t)
      local gradient = step_of(self, t, self._run and self._run.dy)
      self.gradWeightO:addmm(scale or 1, step_of(self, t, self._run.raw):t(), gradient)
   end
end

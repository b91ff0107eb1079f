-- nn.BiSequencer: two recurrent modules over a table of steps, one from the first step, one from the last, and a merge
-- of their outputs at each step, by default side by side.

local check, directions = require 'torch.base.check', require 'rnn.directions'

return function(BiSequencer, parent, nn)

   function BiSequencer:__init(forward, backward, merge)
      parent.__init(self)
      local reversed = directions(self, nn, forward, backward, merge)
      self.module = nn.Sequential():add(nn.ConcatTable():add(self.forwardModule):add(reversed)):add(nn.ZipTable())
         :add(self.mergeModule)
      self.modules[1] = self.module
      self._remember = 'neither'
   end

   function BiSequencer:updateOutput(input)
      check.kind(self, 'input', input, 'table')
      self.output = self.module:updateOutput(input)
      return self.output
   end

   function BiSequencer:updateGradInput(input, gradOutput)
      check.kind(self, 'gradOutput', gradOutput, 'table')
      self.gradInput = self.module:updateGradInput(input, gradOutput)
      return self.gradInput
   end

   function BiSequencer:accGradParameters(input, gradOutput, scale)
      self.module:accGradParameters(input, gradOutput, scale)
   end

   BiSequencer.accUpdateGradParameters = nn.Sequencer.accUpdateGradParameters
   BiSequencer.sharedAccUpdateGradParameters = nn.Sequencer.accUpdateGradParameters

   function BiSequencer:remember(when)
      parent.remember(self, when)
      self.forwardModule:remember(when)
      self.backwardModule:remember(when)
      return self
   end

   BiSequencer.__tostring__ = nn.Decorator.__tostring__
end

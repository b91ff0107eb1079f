-- nn.BiSequencer: two recurrent modules over a table of steps, one from the first step, one from the last, and a merge
-- of their outputs at each step, by default side by side.

local torch = require 'torch'
local check = require 'torch.base.check'

return function(BiSequencer, parent, nn)

   function BiSequencer:__init(forward, backward, merge)
      parent.__init(self)
      if not torch.isTypeOf(forward, 'nn.Module') then
         check.refuse('BiSequencer', 'argument 1', 'a module', forward)
      end
      if not backward then
         backward = forward:clone()
         backward:reset()
      elseif not torch.isTypeOf(backward, 'nn.Module') then
         check.refuse('BiSequencer', 'argument 2', 'a module', backward)
      end
      if type(merge) == 'number' or merge == nil then
         merge = nn.JoinTable(1, merge or 1)
      elseif not torch.isTypeOf(merge, 'nn.Module') then
         check.refuse('BiSequencer', 'argument 3', 'a module or the number of dimensions', merge)
      end
      self.forwardModule = torch.isTypeOf(forward, 'nn.AbstractSequencer') and forward or nn.Sequencer(forward)
      self.backwardModule = torch.isTypeOf(backward, 'nn.AbstractSequencer') and backward or nn.Sequencer(backward)
      self.mergeModule = nn.Sequencer(merge)
      local reversed = nn.Sequential():add(nn.ReverseTable()):add(self.backwardModule):add(nn.ReverseTable())
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

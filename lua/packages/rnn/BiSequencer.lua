-- nn.BiSequencer: two recurrent modules over a sequence, one from the first step, one from the last, and a merge of
-- their outputs. That of Element-Research takes tables of steps and merges at each step, by default side by side; that
-- of the torch organisation takes tensors and merges them as wholes, by default by their sum. The modules inside say
-- which one it is, or the first input.

local torch = require 'torch'
local check, directions = require 'torch.base.check', require 'rnn.directions'

return function(BiSequencer, parent, nn)

   -- Element-Research's form, which alone has the field `module`.
   local function merge_steps(self, merge)
      self.mergeModule = directions.merge_of_steps('BiSequencer', nn, merge)
      local function sequence(module)
         return torch.isTypeOf(module, 'nn.AbstractSequencer') and module or nn.Sequencer(module)
      end
      self.fwdSeq, self.bwdSeq = sequence(self.forwardModule), sequence(self.backwardModule)
      self.mergeSeq = nn.Sequencer(self.mergeModule)
      local reversed = nn.Sequential():add(nn.ReverseTable()):add(self.bwdSeq):add(nn.ReverseTable())
      self.module = nn.Sequential():add(nn.ConcatTable():add(self.fwdSeq):add(reversed)):add(nn.ZipTable())
         :add(self.mergeSeq)
      self.modules[1], self._merge = self.module, merge
   end

   local function merge_sequences(self, merge)
      if merge ~= nil and not torch.isTypeOf(merge, 'nn.Module') then
         check.argument_error('BiSequencer', 'argument 3', 'a module', merge)
      end
      self.mergeModule = merge or nn.CAddTable()
      local function sequence(module) return self.isSeq(module) and module or nn.Sequencer(module) end
      local reversed = nn.ReverseUnreverse(sequence(self.backwardModule))
      self.module, self._merge = nil, nil
      self.modules[1] = nn.Sequential():add(nn.ConcatTable():add(sequence(self.forwardModule)):add(reversed))
         :add(self.mergeModule)
   end

   function BiSequencer:__init(forward, backward, merge)
      parent.__init(self)
      self.forwardModule, self.backwardModule = directions.pair('BiSequencer', forward, backward)
      self._remember = 'neither'
      if directions.is_later(forward) then merge_sequences(self, merge) else merge_steps(self, merge) end
   end

   BiSequencer.isSeq = directions.takes_sequences

   nn.Decorator.decorate(BiSequencer)

   function BiSequencer:updateOutput(input)
      if torch.isTensor(input) and self.module then
         merge_sequences(self, self._merge)
         if self.train ~= nil then self[self.train and 'training' or 'evaluate'](self) end
      elseif not torch.isTensor(input) then
         check.kind(self, 'input', input, 'table')
      end
      self.output = self.modules[1]:updateOutput(input)
      return self.output
   end

   -- The modules of both directions, as modules of sequences.
   function BiSequencer:getForward() return self:get(1):get(1):get(1) end

   function BiSequencer:getBackward()
      local reversed = self:get(1):get(1):get(2)
      return self.module and reversed:get(2) or reversed:getModule()
   end

   BiSequencer.sharedAccUpdateGradParameters = nn.Sequencer.accUpdateGradParameters
   BiSequencer.accUpdateGradParameters = nn.Sequencer.accUpdateGradParameters

   -- The backward module does not remember: its state at the start of a sequence would be that of a later one.
   function BiSequencer:remember(when)
      parent.remember(self, when)
      if not self.module then
         self:getForward():remember(when)
         self:getBackward():remember 'neither'
      end
      return self
   end

   function BiSequencer:__tostring__()
      if self.module then return nn.Decorator.__tostring__(self) end
      local function within(module) return (string.gsub(tostring(module), '\n', '\n    |    ')) end
      return torch.type(self) .. ' {\n  forward:  ' .. within(self:getForward()) .. '\n  backward: ' ..
         within(self:getBackward()) .. '\n  merge:    ' .. within(self:get(1):get(2)) .. '\n}'
   end
end

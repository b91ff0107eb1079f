-- nn.BiSequencerLM: for language models: step t merges the output of the forward module for the steps before t and that
-- of the backward module for the steps after it, so that neither sees step t. Zeros stand at the ends.

local torch = require 'torch'
local check, directions = require 'torch.base.check', require 'rnn.directions'

return function(BiSequencerLM, parent, nn)

   function BiSequencerLM:__init(forward, backward, merge)
      parent.__init(self)
      self.forwardModule, self.backwardModule = directions.pair('BiSequencerLM', forward, backward)
      self.mergeModule = directions.merge_of_steps('BiSequencerLM', nn, merge)
      local function sequence(module)
         return torch.isTypeOf(module, 'nn.AbstractRecurrent') and nn.Sequencer(module) or module
      end
      self.fwdSeq, self.bwdSeq = sequence(self.forwardModule), sequence(self.backwardModule)
      self.mergeSeq = nn.Sequencer(self.mergeModule)
      local merged = nn.Sequential():add(nn.ZipTable()):add(self.mergeSeq)
      local reversed = directions.is_later(forward) and nn.ReverseUnreverse(self.bwdSeq)
         or nn.Sequential():add(nn.ReverseTable()):add(self.bwdSeq):add(nn.ReverseTable())
      self._fwd, self._bwd, self._merge = self.fwdSeq, reversed, merged
      self.modules = { self._fwd, self._bwd, self._merge }
      self.output, self.gradInput, self._remember = {}, {}, 'neither'
   end

   local function part(list, from, to)
      local result = {}
      for i = from, to do result[#result + 1] = list[i] end
      return result
   end

   local function zeros(like) return nn.rnn.recursiveFill((nn.rnn.recursiveCopy(nil, like)), 0) end

   -- The outputs of both modules, aligned to the steps.
   local function aligned(self, forward, backward)
      local steps = #forward + 1
      local first, second = { zeros(forward[1]) }, {}
      for i = 1, steps - 1 do first[i + 1], second[i] = forward[i], backward[i] end
      second[steps] = zeros(backward[1])
      self._aligned = { first, second }
      return self._aligned
   end

   function BiSequencerLM:updateOutput(input)
      check.kind(self, 'input', input, 'table')
      local steps = #input
      if steps < 2 then check.argument_error(self, 'input', 'a table of at least 2 steps', input) end
      local forward = self._fwd:updateOutput(part(input, 1, steps - 1))
      local backward = self._bwd:updateOutput(part(input, 2, steps))
      self.output = self._merge:updateOutput(aligned(self, forward, backward))
      return self.output
   end

   -- Gradients at the outputs of both modules.
   local function gradients_of(gradients)
      local steps = #gradients[1]
      return part(gradients[1], 2, steps), part(gradients[2], 1, steps - 1)
   end

   local function check_steps(self, input, gradOutput)
      check.kind(self, 'input', input, 'table')
      check.kind(self, 'gradOutput', gradOutput, 'table')
      if not self._aligned then check.fail(self, 'backward called before forward') end
      if #input ~= #self._aligned[1] or #gradOutput ~= #input then
         check.argument_error(self, 'gradOutput', string.format('a table of %d steps, as the input is',
            #self._aligned[1]),
            gradOutput)
      end
      return #input
   end

   function BiSequencerLM:updateGradInput(input, gradOutput)
      local steps = check_steps(self, input, gradOutput)
      local forward, backward = gradients_of(self._merge:updateGradInput(self._aligned, gradOutput))
      local from_forward = self._fwd:updateGradInput(part(input, 1, steps - 1), forward)
      local from_backward = self._bwd:updateGradInput(part(input, 2, steps), backward)
      self.gradInput = {}
      for i = 1, steps do
         local gradient = nn.rnn.recursiveCopy(nil, from_forward[i] or from_backward[i - 1])
         if i > 1 and i < steps then nn.rnn.recursiveAdd(gradient, from_backward[i - 1]) end
         self.gradInput[i] = gradient
      end
      return self.gradInput
   end

   function BiSequencerLM:accGradParameters(input, gradOutput, scale)
      local steps = check_steps(self, input, gradOutput)
      self._merge:accGradParameters(self._aligned, gradOutput, scale)
      local forward, backward = gradients_of(self._merge.gradInput)
      self._fwd:accGradParameters(part(input, 1, steps - 1), forward, scale)
      self._bwd:accGradParameters(part(input, 2, steps), backward, scale)
   end

   BiSequencerLM.accUpdateGradParameters = nn.Sequencer.accUpdateGradParameters

   function BiSequencerLM:__tostring__()
      local function within(module) return (string.gsub(tostring(module), '\n', '\n    |    ')) end
      return torch.type(self) .. ' {\n  (  fwd  ): ' .. within(self._fwd) .. '\n  (  bwd  ): ' ..
         within(self._bwd) .. '\n  ( merge ): ' .. within(self._merge) .. '\n}'
   end
end

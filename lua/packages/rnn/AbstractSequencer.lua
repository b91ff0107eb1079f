-- nn.AbstractSequencer: modules of whole sequences. remember() says when the state of a sequence is where the next one
-- begins: 'both', in 'train' or 'eval' alone, or 'neither', which is how modules begin.

local check = require 'torch.base.check'

return function(Sequencer)

   local WORDS = { both = true, train = true, eval = true, neither = true }

   function Sequencer:remember(when)
      if when == nil then when = 'both' end
      if not WORDS[when] then check.argument_error(self, 'argument 1', "'both', 'train', 'eval' or 'neither'", when) end
      self._remember = when
      return self
   end

   function Sequencer:hasMemory()
      return self._remember == 'both' or self._remember == (self.train ~= false and 'train' or 'eval')
   end

   -- The steps of a sequence are those of its input.
   function Sequencer:maxBPTTstep() return self end

   function Sequencer:getStepModule()
      check.fail(self, 'getStepModule is not defined for sequences: put the modules into an nn.Recursor')
   end
end

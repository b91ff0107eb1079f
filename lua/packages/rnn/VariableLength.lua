-- nn.VariableLength: a module of sequences that takes a table of sequences of unequal lengths. They are placed one
-- after another in as few columns as possible, with a masked step between them, and come back as a table, or, with
-- `lastOnly`, as a tensor of their last steps.

local torch = require 'torch'
local check, packing = require 'torch.base.check', require 'rnn.packing'

return function(VariableLength, parent, nn)

   function VariableLength:__init(module, lastOnly)
      check.kind('VariableLength', 'argument 1', type(module) == 'table' and module.maskZero, 'function')
      parent.__init(self, module:maskZero() or module)
      self.lastOnly, self.gradInput = lastOnly or false, {}
   end

   function VariableLength:updateOutput(input)
      check.kind(self, 'input', input, 'table')
      check.tensor(self, 'input[1]', input[1])
      self._input, self._mask = input[1].new(), torch.ByteTensor()
      self.indexes, self.mappedLengths = packing.from_samples(input, self._input, self._mask)
      nn.utils.recursiveZeroMask(self._input, self._mask)
      self.modules[1]:setZeroMask(self._mask)
      local output = self.modules[1]:updateOutput(self._input)
      if self.lastOnly then
         self.output = packing.to_final(self.indexes, self.mappedLengths, output, output.new())
      else
         self.output = packing.to_samples(self.indexes, self.mappedLengths, output)
      end
      return self.output
   end

   function VariableLength:updateGradInput(_, gradOutput)
      if not self._input then check.fail(self, 'backward called before forward') end
      self._gradOutput = self._input.new()
      if self.lastOnly then
         packing.from_final(self.indexes, self.mappedLengths, check.tensor(self, 'gradOutput', gradOutput),
            self._gradOutput)
      else
         check.kind(self, 'gradOutput', gradOutput, 'table')
         packing.from_samples(gradOutput, self._gradOutput, self._mask)
      end
      nn.utils.recursiveZeroMask(self._gradOutput, self._mask)
      local gradInput = self.modules[1]:updateGradInput(self._input, self._gradOutput)
      self.gradInput = packing.to_samples(self.indexes, self.mappedLengths, gradInput)
      return self.gradInput
   end

   function VariableLength:accGradParameters(_, _, scale)
      if not self._gradOutput then check.fail(self, 'accGradParameters called before updateGradInput') end
      self.modules[1]:accGradParameters(self._input, self._gradOutput, scale)
   end

   function VariableLength:setZeroMask() check.fail(self, 'the lengths are the mask: setZeroMask is not defined') end
end

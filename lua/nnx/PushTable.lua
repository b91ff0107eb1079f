-- nn.PushTable(index): takes an element out of a table; an nn.PullTable that push:pull(index) makes puts it into
-- another table further on.

local check = require 'torch.base.check'

return function(Push, parent, nn)

   function Push:__init(index)
      parent.__init(self)
      self._index, self._pulls, self.output, self.gradInput = index, {}, {}, {}
   end

   function Push:pull(index) return nn.PullTable(self, index) end

   function Push:updateOutput(input)
      check.kind(self, 'input', input, 'table')
      if input[self._index] == nil then
         check.refuse(self, 'input', ('a table of %d elements'):format(self._index), input)
      end
      self.output = {}
      for i, value in ipairs(input) do
         if i ~= self._index then self.output[#self.output + 1] = value end
      end
      for _, pull in ipairs(self._pulls) do pull:_updateOutput(input[self._index]) end
      self._gradPush = nil
      return self.output
   end

   -- The gradient of a table that was pulled.
   function Push:_updateGradInput(gradient)
      if self._gradPush then
         nn.utils.recursiveAdd(self._gradPush, gradient)
      else
         self._gradPush = (nn.utils.recursiveCopy(nil, gradient))
      end
   end

   function Push:updateGradInput(input, gradOutput)
      check.kind(self, 'gradOutput', gradOutput, 'table')
      if not self._gradPush then check.fail(self, 'backward of its PullTable must come first') end
      self.gradInput = {}
      for i = 1, #input do
         if i == self._index then
            self.gradInput[i] = self._gradPush
         else
            self.gradInput[i] = gradOutput[i < self._index and i or i - 1]
         end
      end
      self._gradPush = nil
      return self.gradInput
   end
end

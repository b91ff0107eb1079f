-- nn.PushTable(index): removes an element from a table; an nn.PullTable made by push:pull(index) inserts it into
-- another table further on.

local torch = require 'torch'
local check, mixins = require 'torch.base.check', require 'nn.module.mixins'

return function(Push, parent, nn)

   function Push:__init(index)
      parent.__init(self)
      self._index, self._pulls, self.output, self.gradInput = index, {}, {}, {}
      self._gradInput, self._forward = torch.Tensor(), false
   end

   function Push:pull(index)
      local pull = nn.PullTable(self, index)
      table.insert(self._pulls, pull)
      return pull
   end

   function Push:updateOutput(input)
      check.kind(self, 'input', input, 'table')
      if input[self._index] == nil then
         check.argument_error(self, 'input', string.format('a table of %d elements', self._index), input)
      end
      self.output = {}
      for i, value in ipairs(input) do
         if i ~= self._index then table.insert(self.output, value) end
      end
      for _, pull in ipairs(self._pulls) do pull:_updateOutput(input[self._index]) end
      self._forward = true
      return self.output
   end

   -- The gradient of a table that was pulled: the first after forward begins the sum.
   function Push:_updateGradInput(gradient)
      if self._forward then
         self._gradInput = nn.utils.recursiveCopy(nil, gradient)
      else
         nn.utils.recursiveAdd(self._gradInput, gradient)
      end
      self._forward = false
   end

   function Push:updateGradInput(input, gradOutput)
      check.kind(self, 'gradOutput', gradOutput, 'table')
      if self._forward then check.fail(self, 'backward of its PullTable must come first') end
      self.gradInput = {}
      for i = 1, #input do
         if i == self._index then
            self.gradInput[i] = self._gradInput
         else
            self.gradInput[i] = gradOutput[i < self._index and i or i - 1]
         end
      end
      return self.gradInput
   end

   -- Each PullTable changes its type itself.
   mixins.keep_type(Push, parent, '_pulls')
end

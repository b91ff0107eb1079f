-- nn.PullTable(push, index): inserts the element that an nn.PushTable removed into a table, or pairs it with a tensor.

local check, expect, mixins = require 'torch.base.check', require 'nn.checks.expect', require 'nn.module.mixins'

return function(Pull, parent)

   function Pull:__init(push, index)
      parent.__init(self)
      expect.instance_of('nn.PushTable', 'PullTable', 'push', push)
      self._push, self._index, self.output, self.gradInput = push, index, {}, {}
   end

   -- The element that the PushTable removed.
   function Pull:_updateOutput(output) self._output = output end

   function Pull:updateOutput(input)
      if self._output == nil then check.fail(self, 'forward of its PushTable must come first') end
      local values = type(input) == 'table' and input or { input }
      if self._index > #values + 1 then
         check.argument_error(self, 'input', string.format('a table of at least %d elements', self._index - 1), input)
      end
      self.output = {}
      for i, value in ipairs(values) do self.output[i < self._index and i or i + 1] = value end
      self.output[self._index] = self._output
      return self.output
   end

   function Pull:updateGradInput(input, gradOutput)
      check.kind(self, 'gradOutput', gradOutput, 'table')
      self._push:_updateGradInput(gradOutput[self._index])
      if type(input) ~= 'table' then
         self.gradInput = gradOutput[self._index == 1 and 2 or 1]
         return self.gradInput
      end
      self.gradInput = {}
      for i, gradient in ipairs(gradOutput) do
         if i ~= self._index then table.insert(self.gradInput, gradient) end
      end
      return self.gradInput
   end

   -- The PushTable changes its type itself.
   mixins.keep_type(Pull, parent, '_push')
end

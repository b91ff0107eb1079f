-- nn.PullTable(push, index): puts the element that an nn.PushTable took out into a table.

local check, instance_of = require 'torch.base.check', require 'nn.instance_of'

return function(Pull, parent)

   function Pull:__init(push, index)
      parent.__init(self)
      instance_of('nn.PushTable', 'PullTable', 'push', push)
      self._push, self._index, self.output, self.gradInput = push, index, {}, {}
      push._pulls[#push._pulls + 1] = self
   end

   -- The element that the PushTable took out.
   function Pull:_updateOutput(output) self._pushed = output end

   function Pull:updateOutput(input)
      check.kind(self, 'input', input, 'table')
      if self._pushed == nil then check.fail(self, 'forward of its PushTable must come first') end
      self.output = {}
      for i, value in ipairs(input) do self.output[i] = value end
      if self._index > #input + 1 then
         check.refuse(self, 'input', ('a table of at least %d elements'):format(self._index - 1), input)
      end
      table.insert(self.output, self._index, self._pushed)
      return self.output
   end

   function Pull:updateGradInput(_, gradOutput)
      check.kind(self, 'gradOutput', gradOutput, 'table')
      self._push:_updateGradInput(gradOutput[self._index])
      self.gradInput = {}
      for i, value in ipairs(gradOutput) do
         if i ~= self._index then self.gradInput[#self.gradInput + 1] = value end
      end
      return self.gradInput
   end
end

-- nn.ReverseSequence: the steps of a sequence, a table or a tensor along its first dimension, in the reverse order.

local torch = require 'torch'
local check = require 'torch.base.check'

return function(Reverse)

   local function reversed(self, what, from, to)
      if torch.isTensor(from) then
         check.dimensions(self, what, from, 1, 99)
         local size = from:size(1)
         if not torch.isTensor(to) or to:type() ~= from:type() then to = from.new() end
         return to:resizeAs(from):index(from, 1, torch.range(size, 1, -1):long())
      end
      check.kind(self, what, from, 'table')
      local list = {}
      for i = #from, 1, -1 do list[#list + 1] = from[i] end
      return list
   end

   function Reverse:updateOutput(input)
      self.output = reversed(self, 'input', input, self.output)
      return self.output
   end

   function Reverse:updateGradInput(_, gradOutput)
      self.gradInput = reversed(self, 'gradOutput', gradOutput, self.gradInput)
      return self.gradInput
   end
end

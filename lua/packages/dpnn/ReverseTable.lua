-- nn.ReverseTable: the elements of a table in the reverse order.

local check = require 'torch.base.check'

return function(Reverse, parent)

   function Reverse:__init()
      parent.__init(self)
      self.output, self.gradInput = {}, {}
   end

   local function reversed(self, what, list)
      check.kind(self, what, list, 'table')
      local result = {}
      for i = 1, #list do result[i] = list[#list + 1 - i] end
      return result
   end

   function Reverse:updateOutput(input)
      self.output = reversed(self, 'input', input)
      return self.output
   end

   function Reverse:updateGradInput(_, gradOutput)
      self.gradInput = reversed(self, 'gradOutput', gradOutput)
      return self.gradInput
   end
end

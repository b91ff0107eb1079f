-- nn.Identity: the input itself.

local ipairs, type = ipairs, type
local torch = require 'torch'

return function(Identity)

   function Identity:updateOutput(input)
      self.output = input
      return input
   end

   function Identity:updateGradInput(_, gradOutput)
      self.gradInput = gradOutput
      return gradOutput
   end

   -- What was passed on is not this module's to empty.
   function Identity:clearState()
      for _, field in ipairs { 'output', 'gradInput' } do
         local value = self[field]
         if torch.isTensor(value) then
            self[field] = value.new()
         elseif type(value) == 'table' then
            self[field] = {}
         else
            self[field] = torch.Tensor()
         end
      end
      return self
   end
end

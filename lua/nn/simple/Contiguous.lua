-- nn.Contiguous: copies inputs that are not contiguous.

local torch = require 'torch'

return function(Contiguous)

   local function passed(self, field, value)
      if torch.isTensor(value) and not value:isContiguous() then
         local to = self[field]
         if not torch.isTensor(to) or torch.typename(to) ~= torch.typename(value) or to:isSetTo(value) then
            to = value.new()
         end
         self[field] = to:resizeAs(value):copy(value)
      else
         self[field] = value
      end
      return self[field]
   end

   function Contiguous:updateOutput(input) return passed(self, 'output', input) end
   function Contiguous:updateGradInput(_, gradOutput) return passed(self, 'gradInput', gradOutput) end
end

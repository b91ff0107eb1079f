-- nn.PrintSize: passes tensors on and prints their sizes, for debugging.

local _G = _G
local torch = require 'torch'

return function(PrintSize)

   -- Tables are printed as such: print gives the sizes of their tensors.
   local function show(text, value)
      if torch.isTensor(value) then value = value:size() end
      if value == nil then value = 'missing size' end
      _G.print(text, value)
   end

   function PrintSize:updateOutput(input)
      self.output = input
      show(self.prefix .. ':input\n', input)
      return input
   end

   function PrintSize:updateGradInput(_, gradOutput)
      show(self.prefix .. ':gradOutput\n', gradOutput)
      self.gradInput = gradOutput
      return gradOutput
   end
end

-- nn.PrintSize: passes tensors on and prints their sizes, for debugging.

local _G = _G
local torch = require 'torch'

return function(PrintSize)

   -- The sizes of a tensor, or of all in a table.
   local function sizes(value)
      if torch.isTensor(value) then return value:size() end
      if type(value) ~= 'table' then return value end
      local all = {}
      for key, inner in pairs(value) do all[key] = sizes(inner) end
      return all
   end

   local function show(text, value)
      local what = sizes(value)
      if type(what) == 'table' then
         _G.print(text .. '\n')
         _G.print(what)
      else
         _G.print(text, tostring(what))
      end
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

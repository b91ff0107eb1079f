-- What containers whose modules stand side by side share: how they are printed, and sums of gradients.

local gsub, pairs, tostring, type = string.gsub, pairs, tostring, type
local torch = require 'torch'

local branches = {}

function branches.tostring(self)
   local line, last = '\n  ', '  |    '
   local text = torch.type(self) .. ' {' .. line .. 'input'
   local count = #self.modules
   for i = 1, count do
      local ending = i == count
      text = text .. line .. (ending and '   `-> (' or '  |`-> (') .. i .. '): ' ..
         gsub(tostring(self.modules[i]), '\n', line .. (ending and '       ' or last))
   end
   return text .. line .. '   ... -> output\n}'
end

-- The sum in `sum` and one more gradient; the first one replaces what was there. Tables are summed part by
-- part.
local function accumulate(sum, gradient, first)
   if type(gradient) == 'table' then
      if type(sum) ~= 'table' then sum = {} end
      for key, inner in pairs(gradient) do
         sum[key] = accumulate(sum[key], inner, first or sum[key] == nil)
      end
      if first then
         for key in pairs(sum) do
            if gradient[key] == nil then sum[key] = nil end
         end
      end
      return sum
   end
   if first or not torch.isTensor(sum) then
      if not torch.isTensor(sum) or torch.typename(sum) ~= torch.typename(gradient) then sum = gradient.new() end
      return sum:resizeAs(gradient):copy(gradient)
   end
   return sum:add(gradient)
end
branches.accumulate = accumulate

return branches

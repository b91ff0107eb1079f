-- Small functions on tables that programs of the time took from nngraph.

local utils = {}

function utils.tableContainsValue(list, value)
   for _, inner in pairs(list) do
      if inner == value then return true end
   end
   return false
end

return utils

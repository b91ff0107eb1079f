-- Small functions on tables that programs import from nngraph.

local utils = {}

function utils.tableContainsValue(list, value)
   for _, inner in pairs(list) do
      if inner == value then return true end
   end
   return false
end

return utils

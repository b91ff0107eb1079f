-- The class pl.List, without the methods that List.lua adds to it.

local setmetatable, type = setmetatable, type

local List = { _name = 'List' }
List.__index = List

-- A new list of the elements of a table, or of what an iterator gives.
local function make(_, values)
   local list = setmetatable({}, List)
   if type(values) == 'function' then
      for value in values do list[#list + 1] = value end
   elseif values then
      for i = 1, #values do list[i] = values[i] end
   end
   return list
end

setmetatable(List, { __call = make })
function List.new(values) return make(List, values) end

return List

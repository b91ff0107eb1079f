-- The class pl.List, without the methods that List.lua adds to it.

local class = require 'pl.class'

-- List(values) takes the values of an iterator, the characters of a string or the elements of another list. A table
-- without a metatable becomes the list itself.
local List = class()
List._name = 'List'

function List._create(values)
   return type(values) == 'table' and getmetatable(values) == nil and values or nil
end

function List:_init(values)
   if type(values) == 'function' then
      for value in values do self[#self + 1] = value end
   elseif type(values) == 'string' then
      for character in string.gmatch(values, '.') do self[#self + 1] = character end
   elseif values and values ~= self then
      for i = 1, #values do self[i] = values[i] end
   end
end

function List.new(values) return List(values) end

return List

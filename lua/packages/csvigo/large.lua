-- Rows of a text that are read when they are asked for: an object with # and an index.

local getmetatable, huge, newproxy, tostring, type = getmetatable, math.huge, newproxy, tostring, type
local rows = require 'csvigo.rows'

return function(text, options)
   local first, last, count = rows.extents(text, options.skip, options.nrows or huge)
   local object = newproxy(true)
   local metatable = getmetatable(object)
   metatable.__len = function() return count end
   metatable.__index = function(_, i)
      if type(i) ~= 'number' or not first[i] then return nil end
      return rows.fields(text, first[i], last[i], options.separator)
   end
   metatable.__tostring = function() return 'csvigo.large of ' .. tostring(count) .. ' rows' end
   return object
end

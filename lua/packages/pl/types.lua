-- pl.types: tests of the kinds of values.

local utils = require 'pl.utils'

local types = { is_callable = utils.is_callable, is_type = utils.is_type }

function types.type(object)
   local kind, metatable = type(object), getmetatable(object)
   if io.type(object) then return 'file' end
   if kind ~= 'table' and kind ~= 'userdata' or metatable == nil then return kind end
   return type(metatable) == 'table' and metatable._name or 'unknown ' .. kind
end

function types.is_integer(value) return type(value) == 'number' and math.floor(value) == value end

function types.is_empty(value, ignore_spaces)
   if type(value) == 'table' then return next(value) == nil end
   return value == nil or value == '' or
      type(value) == 'string' and ignore_spaces and string.find(value, '^%s+$') ~= nil or false
end

function types.is_indexable(value)
   local metatable = getmetatable(value)
   return type(value) == 'table' or metatable and metatable.__len and metatable.__index and true
end

function types.is_iterable(value)
   local metatable = getmetatable(value)
   return type(value) == 'table' or metatable and metatable.__pairs and true
end

function types.is_writeable(value)
   local metatable = getmetatable(value)
   return type(value) == 'table' or metatable and metatable.__newindex and true
end

-- Tells whether a value means yes: strings such as 'yes' and 'true', or of the list `yes`, and numbers other than 0;
-- with `objects` filled tables and all other objects, too.
function types.to_bool(value, yes, objects)
   if type(value) == 'boolean' then return value end
   if type(value) == 'string' then
      local word = string.lower(value)
      if word == 'yes' or word == 'y' or word == 'true' or word == 't' or word == '1' then return true end
      for _, each in ipairs(yes or {}) do
         if type(each) == 'string' and value == string.lower(each) then return true end
      end
      return false
   end
   if type(value) == 'number' then return value ~= 0 end
   if type(value) == 'table' then return objects ~= nil and objects and next(value) ~= nil end
   return objects and value ~= nil or false
end

return types

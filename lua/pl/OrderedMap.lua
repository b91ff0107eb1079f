-- pl.OrderedMap: a table that remembers in which order its keys came.

local pairs, rawget, rawset, setmetatable, tostring, type = pairs, rawget, rawset, setmetatable, tostring, type
local concat = table.concat
local List = require 'pl.List'

local OrderedMap = { _name = 'OrderedMap' }
OrderedMap.__index = OrderedMap

setmetatable(OrderedMap, { __call = function(_, t)
   local map = setmetatable({}, OrderedMap)
   rawset(map, '_keys', List())
   for key, value in pairs(t or {}) do map:set(key, value) end
   return map
end })

function OrderedMap:set(key, value)
   local keys = rawget(self, '_keys')
   if rawget(self, key) == nil and value ~= nil then keys:append(key)
   elseif value == nil then keys:remove_value(key) end
   rawset(self, key, value)
   return self
end
OrderedMap.__newindex = OrderedMap.set

function OrderedMap:insert(place, key, value)
   rawget(self, '_keys'):remove_value(key):insert(place, key)
   rawset(self, key, value)
   return self
end

function OrderedMap:update(t)
   for key, value in pairs(t) do self:set(key, value) end
   return self
end

function OrderedMap:keys() return rawget(self, '_keys') end

function OrderedMap:values()
   return rawget(self, '_keys'):map(function(key) return rawget(self, key) end)
end

function OrderedMap:iter()
   local i, keys = 0, rawget(self, '_keys')
   return function()
      i = i + 1
      return keys[i], keys[i] ~= nil and rawget(self, keys[i]) or nil
   end
end

-- {first=1,second="two"}
function OrderedMap:__tostring()
   local parts = {}
   for key, value in self:iter() do
      local text = type(value) == 'number' and tostring(value) or '"' .. tostring(value) .. '"'
      parts[#parts + 1] = tostring(key) .. '=' .. text
   end
   return '{' .. concat(parts, ',') .. '}'
end

return OrderedMap

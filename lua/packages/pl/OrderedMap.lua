-- pl.OrderedMap: a table that remembers in which order its keys came.

local List, Map, class = require 'pl.List', require 'pl.Map', require 'pl.class'

local OrderedMap = class(Map)
OrderedMap._name = 'OrderedMap'

-- OrderedMap(t) takes the entries of a table, or of a list of tables with one entry each, which has an order.
function OrderedMap:_init(t)
   rawset(self, '_keys', List())
   self:update(t or {})
end

-- Returns the keys, without those whose values a program has set to nil.
local function keys_of(map)
   local keys, kept = rawget(map, '_keys'), 0
   for i = 1, #keys do
      local key = keys[i]
      if rawget(map, key) ~= nil then
         kept = kept + 1
         keys[kept] = key
      end
   end
   for i = #keys, kept + 1, -1 do keys[i] = nil end
   return keys
end

function OrderedMap:set(key, value)
   if rawget(self, key) == nil and value ~= nil then keys_of(self):append(key) end
   rawset(self, key, value)
   if value == nil then keys_of(self) end
   return self
end
OrderedMap.__newindex = OrderedMap.set

-- Puts a key before another one; without a value it keeps the one it has.
function OrderedMap:insert(index, key, value)
   if value == nil then value = rawget(self, key) end
   rawset(self, key, nil)
   if value ~= nil then table.insert(keys_of(self), index, key) end
   rawset(self, key, value)
   return self
end

function OrderedMap:update(t)
   if OrderedMap:class_of(t) then
      for key, value in t:iter() do self:set(key, value) end
   elseif type(t[1]) == 'table' then
      for i = 1, #t do
         local key, value = next(t[i])
         self:set(key, value)
      end
   else
      for key, value in pairs(t) do self:set(key, value) end
   end
   return self
end

function OrderedMap:len() return #keys_of(self) end
function OrderedMap:keys() return keys_of(self) end

function OrderedMap:values()
   return keys_of(self):map(function(key) return rawget(self, key) end)
end

-- Sorts the keys, by `less` if it is given.
function OrderedMap:sort(less)
   table.sort(keys_of(self), less)
   return self
end

function OrderedMap:iter()
   local i, keys = 0, keys_of(self)
   return function()
      i = i + 1
      local key = keys[i]
      if key ~= nil then return key, rawget(self, key) end
   end
end

-- A list of { key, value } in their order.
function OrderedMap:items()
   return keys_of(self):map(function(key) return { key, rawget(self, key) } end)
end

OrderedMap.__pairs = OrderedMap.iter

-- {first=1,second="two"}
function OrderedMap:__tostring()
   local parts = {}
   for key, value in self:iter() do
      local text = type(value) == 'number' and tostring(value) or '"' .. tostring(value) .. '"'
      parts[#parts + 1] = tostring(key) .. '=' .. text
   end
   return '{' .. table.concat(parts, ',') .. '}'
end

return OrderedMap

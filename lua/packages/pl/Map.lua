-- pl.Map: tables with methods.

local class, tablex = require 'pl.class', require 'pl.tablex'

local Map = class()
Map._name = 'Map'

-- Map(t) makes a table a map; the entries of another map, or of a set, are copied.
function Map:_init(t)
   local own = getmetatable(t)
   if own ~= Map and not (own and own._name == 'Set') then return t end
   self:update(t)
end

function Map:keys() return tablex.keys(self) end
function Map:values() return tablex.values(self) end
function Map:iter() return pairs(self) end

-- A list of { key, value } in the order of the keys.
function Map:items()
   local list = require 'pl.List'()
   for key, value in tablex.sort(self) do list:append { key, value } end
   return list
end

function Map:len() return tablex.size(self) end
function Map:get(key) return rawget(self, key) end
function Map:set(key, value) self[key] = value end

function Map:update(t)
   return tablex.update(self, t)
end

function Map:setdefault(key, default)
   return self[key] or self:set(key, default) or default
end

function Map:getvalues(keys)
   return tablex.index_by(self, keys)
end

function Map.__eq(a, b) return tablex.deepcompare(a, b, true) end

function Map:__tostring() return require('pl.pretty').write(self, '') end

return Map

-- pl.Map: tables with methods.

local class, tablex = require 'pl.class', require 'pl.tablex'

local Map = class()
Map._name = 'Map'

-- Map(t) has the entries of a table, or of another map.
function Map:_init(t)
   if type(t) == 'table' then tablex.update(self, t) end
end

-- Maps have no `super`, which would be an entry of theirs.
local function construct(own, t)
   local map = setmetatable({}, own)
   own._init(map, t)
   return map
end
getmetatable(Map).__call = construct

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
   if rawget(self, key) == nil then self:set(key, default) end
   return rawget(self, key)
end

function Map:getvalues(keys)
   return tablex.index_by(self, keys)
end

function Map.__eq(a, b) return tablex.deepcompare(a, b, true) end

function Map:__tostring() return require('pl.pretty').write(self, '') end

return Map

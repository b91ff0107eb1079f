-- pl.Map: tables with methods.

local tablex = require 'pl.tablex'

local Map = { _name = 'Map' }
Map.__index = Map

setmetatable(Map, { __call = function(_, t) return tablex.update(setmetatable({}, Map), t or {}) end })

function Map.class_of(_, object) return getmetatable(object) == Map end

function Map:keys() return tablex.keys(self) end
function Map:values() return tablex.values(self) end
function Map:iter() return pairs(self) end
Map.items = Map.iter
function Map:len() return tablex.size(self) end
function Map:get(key) return self[key] end
function Map:set(key, value) self[key] = value end

function Map:update(t)
   return tablex.update(self, t)
end

function Map:setdefault(key, default)
   if self[key] == nil then self[key] = default end
   return self[key]
end

function Map:getvalues(keys)
   return tablex.imap(function(key) return self[key] end, keys)
end

function Map.__eq(a, b) return tablex.deepcompare(a, b, true) end

function Map:__tostring() return require('pl.pretty').write(self, '') end

return Map

-- The table `pl`: modules of Penlight by name, each loaded when it is first asked for.

local ipairs, rawset, require, setmetatable = ipairs, rawset, require, setmetatable

local known = {}
for _, name in ipairs { 'List', 'Map', 'OrderedMap', 'Set', 'class', 'dir', 'file', 'lapp', 'operator', 'path',
   'pretty', 'seq', 'stringx', 'tablex', 'types', 'utils' } do
   known[name] = true
end

local metatable = {}

function metatable.__index(modules, name)
   if not known[name] then return nil end
   local module = require('pl.' .. name)
   rawset(modules, name, module)
   return module
end

return setmetatable({}, metatable)

-- The table `pl`: modules of Penlight by name, each loaded when it is first asked for. A Penlight that is installed has
-- more than these.

local known = {}
for _, name in ipairs { 'List', 'Map', 'OrderedMap', 'Set', 'class', 'data', 'dir', 'file', 'lapp', 'lexer', 'operator',
   'path', 'pretty', 'stringx', 'tablex', 'text', 'types', 'utils' } do
   known[name] = true
end

local metatable = {}

function metatable.__index(modules, name)
   if type(name) ~= 'string' then return nil end
   if not known[name] and not package.searchpath('pl.' .. name, package.path) then return nil end
   local module = require('pl.' .. name)
   rawset(modules, name, module)
   return module
end

return setmetatable({}, metatable)

-- All modules are globals, each loaded when it is first used, unless a program has a global of that name. The parts of
-- Penlight that Torch7 programs use are here, reimplemented.

local dialect = require 'torch.base.dialect'
local modules = require('torch.jit.loader').own 'pl.modules'

-- The globals of Penlight. `data` and `text` are there in the dialect th alone: programs test whether variables of
-- these names have values. Files are looked up by these names only, so that reading an undefined global stays cheap.
local global, global_in_th = {}, { data = true, text = true }
for _, name in ipairs { 'Date', 'List', 'Map', 'MultiMap', 'OrderedMap', 'Set', 'app', 'array2d', 'class',
   'comprehension', 'config', 'dir', 'file', 'func', 'input', 'lapp', 'lexer', 'operator', 'path', 'pretty',
   'seq', 'sip', 'stringio', 'stringx', 'tablex', 'template', 'test', 'types', 'utils', 'xml' } do
   global[name] = true
end

local metatable = getmetatable(_G) or {}
local before = metatable.__index

function metatable.__index(globals, name)
   local value
   if type(before) == 'function' then value = before(globals, name)
   elseif type(before) == 'table' then value = before[name] end
   if value ~= nil or not global[name] and not (global_in_th[name] and dialect.name == 'th') then return value end
   return modules[name]
end

setmetatable(_G, metatable)

return modules

-- require 'pl': all modules become globals, each loaded when it is first used, unless a program has a global of
-- that name. The parts of Penlight that Torch7 programs use are here, written anew.

local getmetatable, rawset, setmetatable, type = getmetatable, rawset, setmetatable, type
local modules = require 'pl.modules'

local metatable = getmetatable(_G) or {}
local before = metatable.__index

function metatable.__index(globals, name)
   local value
   if type(before) == 'function' then value = before(globals, name)
   elseif type(before) == 'table' then value = before[name] end
   if value ~= nil then return value end
   value = modules[name]
   if value ~= nil then rawset(globals, name, value) end
   return value
end

setmetatable(_G, metatable)

return modules

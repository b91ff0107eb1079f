-- The only file that touches Python: the functions of t7shell/host.py, one Lua name each.
-- Numbers, strings and booleans cross as they are; addresses cross as numbers (they fit in 2^53).

local error, setmetatable = error, setmetatable

local python = package.loaded['t7shell.host']

return setmetatable({}, { __index = function(_, name)
   local f = python and python[name]
   if not f then error('host function ' .. name .. ' is not there', 2) end
   return f
end })

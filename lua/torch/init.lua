-- The torch table: the ordered list of its parts is the table of contents.

local ipairs, require = ipairs, require

local torch = {}

for _, part in ipairs {
   'class',        -- names of types, methods tables
   'constructors', -- torch.DoubleTensor, torch.LongStorage, ...: made with their methods on first use
   'install',      -- the operations: torch.f and x:f, from the rows of ops/
   'random',       -- the generator
   'utility',      -- torch.type, torch.pointer, torch.setdefaulttensortype, ...
} do
   require('torch.' .. part).install(torch)
end

-- Last, because everything above works with Lua's own functions.
local class = require 'torch.class'
_G.type, _G.getmetatable = class.lua_type, class.lua_getmetatable

return torch

-- The torch table: the ordered list of its parts is the table of contents.

local ipairs, require = ipairs, require

-- Who forgets it in package.loaded, to load it anew, gets the same.
local types = require 'torch.types'
if types.torch then return types.torch end

local torch = {}
types.torch = torch

for _, part in ipairs {
   'class',        -- names of types, methods tables
   'userclass',    -- torch.class, torch.isTypeOf, ...
   'constructors', -- torch.DoubleTensor, torch.LongStorage, ...: made with their methods on first use
   'install',      -- the operations: torch.f and x:f, from the rows of ops/
   'generator',    -- torch.Generator, seeds and states
   'threads',      -- torch.setnumthreads
   'utility',      -- torch.type, torch.pointer, torch.setdefaulttensortype, ...
   'timer',        -- torch.Timer, torch.tic, torch.toc
   'firstuse',     -- torch.File, torch.save, torch.Tester, torch.CmdLine, ...: loaded when they are used
} do
   require('torch.' .. part).install(torch)
end

if require('torch.dialect').name == 'torch5' then require('torch.torch5').install(torch) end

-- Last, because everything above works with Lua's own functions.
local class = require 'torch.class'
_G.type, _G.getmetatable = class.lua_type, class.lua_getmetatable
_G.collectgarbage = require('torch.memory').collectgarbage

return torch

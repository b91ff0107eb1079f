-- The torch table: the ordered list of its parts is the table of contents.

local ipairs, require = ipairs, require

-- Re-requiring torch returns the same table.
local types = require 'torch.core.types'
if types.torch then return types.torch end

require 'torch.core.compiler'

local torch = {}
types.torch = torch

for _, part in ipairs {
   'core.class_registry',-- names of types, methods tables
   'lib.userclass',      -- torch.class, torch.isTypeOf, ...
   'dispatch.constructors', -- torch.DoubleTensor, torch.LongStorage, ...: made with their methods on first use
   'dispatch.install',   -- the operations: torch.f and x:f, from the rows of ops/
   'dispatch.dialects',  -- torch.dialect
   'dispatch.begin_names', -- names of dimensions: loaded when a tensor first gets some
   'random.generator',   -- torch.Generator, seeds and states
   'worker.threads',     -- torch.setnumthreads
   'lib.utility',        -- torch.type, torch.pointer, torch.setdefaulttensortype, ...
   'lib.timer',          -- torch.Timer, torch.tic, torch.toc
   'lib.first_use',      -- torch.File, torch.save, torch.Tester, torch.CmdLine, ...: loaded when they are used
} do
   require('torch.' .. part).install(torch)
end

-- Last, because everything above works with Lua's own functions.
local class = require 'torch.core.class_registry'
_G.type, _G.getmetatable = class.lua_type, class.lua_getmetatable
_G.collectgarbage = require('torch.memory.collector').collectgarbage

return torch

-- The torch table: the ordered list of its parts is the table of contents.

-- Re-requiring torch returns the same table.
local types = require 'torch.base.types'
if types.torch then return types.torch end

require 'torch.loops.compiler'

local torch = {}
types.torch = torch

for _, part in ipairs {
   'base.class_registry',                   -- names of types, methods tables
   'class.userclass',                       -- torch.class, torch.isTypeOf, ...
   'dispatch.constructors',                 -- torch.DoubleTensor, torch.LongStorage, ...: created on first use
   'dispatch.install',                      -- the operations: torch.f and x:f, from the rows of ops/
   'features.dialects',                     -- torch.dialect, dimension names
   'random.generator',                      -- torch.Generator, seeds and states
   'parallel.threads',                      -- torch.setnumthreads
   'utility.utility',                       -- torch.type, torch.pointer, torch.setdefaulttensortype, ...
   'utility.timer',                         -- torch.Timer, torch.tic, torch.toc
   'utility.deferred_names',                -- torch.File, torch.save, torch.Tester, ...: loaded on first use
} do
   require('torch.' .. part).install(torch)
end

-- Last, because everything above works with Lua's own functions.
local class_registry = require 'torch.base.class_registry'
_G.type, _G.getmetatable = class_registry.lua_type, class_registry.lua_getmetatable
_G.collectgarbage = require('torch.memory.collector').collectgarbage

return torch

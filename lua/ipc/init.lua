-- ipc: of torch-ipc the connections between processes, `server` and `client`, and the trees over the ranks of MPI, on
-- which `distlearn` stands. A tree needs MPI, so it is loaded when a program asks for it.

local require, setmetatable = require, setmetatable

local ipc = { client = require 'ipc.client', server = require 'ipc.server' }

local TREES = { LocalhostTree = 'ipc.LocalhostTree', Tree = 'ipc.Tree' }

return setmetatable(ipc, { __index = function(_, name) return TREES[name] and require(TREES[name]) or nil end })

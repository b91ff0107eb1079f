-- ipc: the parts of torch-ipc: connections between processes, `server` and `client`; threads, `map` and `workqueue`;
-- and trees over the ranks of MPI, which `distlearn` uses. Modules that need threads or MPI are loaded on first use.

local ipc = { client = require 'ipc.client', server = require 'ipc.server' }

local LATER = {}
for _, name in ipairs { 'LocalhostTree', 'Tree', 'map', 'workqueue' } do LATER[name] = 'ipc.' .. name end

return setmetatable(ipc, { __index = function(_, name) return LATER[name] and require(LATER[name]) or nil end })

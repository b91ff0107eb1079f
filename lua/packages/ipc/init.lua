-- ipc: of torch-ipc the connections between processes, `server` and `client`; threads, `map` and `workqueue`; and the
-- trees over the ranks of MPI, on which `distlearn` stands. What needs threads or MPI is loaded when a program asks for
-- it.

local ipc = { client = require 'ipc.client', server = require 'ipc.server' }

local LATER = {}
for _, name in ipairs { 'LocalhostTree', 'Tree', 'map', 'workqueue' } do LATER[name] = 'ipc.' .. name end

return setmetatable(ipc, { __index = function(_, name) return LATER[name] and require(LATER[name]) or nil end })

-- ipc: of torch-ipc the trees, over the ranks of MPI; `distlearn` stands on them.

local require = require

return { LocalhostTree = require 'ipc.LocalhostTree', Tree = require 'ipc.Tree' }

-- ipc.LocalhostTree(nodeIndex, numNodes): the tree of all ranks. Sockets of other hosts and ports are not needed.

return require 'ipc.Tree'

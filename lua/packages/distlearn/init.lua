-- distlearn: training on several nodes, by the trees of `ipc`, which need MPI, or by a server and clients.

local METHODS = {
   AllReduceSGD = 'distlearn.AllReduceSGD', AllReduceEA = 'distlearn.AllReduceEA', AsyncEA = 'distlearn.AsyncEA',
}

return setmetatable({}, { __index = function(_, name) return METHODS[name] and require(METHODS[name]) or nil end })

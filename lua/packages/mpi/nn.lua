-- mpi.nn: networks that are trained on all ranks at once, by TorchMPI's names. `require 'torchmpi.nn'` is the same.

local check, mpi = require 'torch.base.check', require 'mpi'

local mpinn = {}

local function parameters(name, net)
   check.callable(name, "the network's method parameters", type(net) == 'table' and net.parameters)
   local weights, gradients = net:parameters()
   return weights or {}, gradients or {}
end

-- Gives all ranks the parameters of rank 0, or the mean over all.
function mpinn.synchronizeParameters(net, mean)
   local weights = parameters('synchronizeParameters', net)
   for _, weight in ipairs(weights) do
      if mean then mpi.allreduce(weight, 'mean') else mpi.broadcast(weight, 0) end
   end
end

-- Replaces the gradients by their sums over all ranks, as TorchMPI does; with 'mean' by their means.
function mpinn.synchronizeGradients(net, op)
   local _, gradients = parameters('synchronizeGradients', net)
   for _, gradient in ipairs(gradients) do mpi.allreduce(gradient, op) end
end

return mpinn

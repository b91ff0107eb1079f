-- Ends a round in which nodes took different numbers of steps, and gives all nodes the values of the node with the most
-- steps, the first such node.

local torch = require 'torch'
local check = require 'torch.base.check'
local elements, mpi = require 'mpi.elements', require 'mpi'

local function zeros_like(value)
   if elements.of_tensor(value) then return value:clone():zero() end
   local made = {}
   check.kind('distlearn', 'parameters', value, 'table')
   for key, inner in pairs(value) do made[key] = zeros_like(inner) end
   return made
end

-- `step_like` lists the tensors that nodes sum in a step, `values` the tensors that are equal afterwards.
return function(tree, step_count, step_like, values)
   tree.allReduce(zeros_like(step_like), tree.add, function(t) return t:zero() end)
   local steps = torch.LongTensor(tree.numNodes):zero()
   steps[tree.nodeIndex] = step_count
   mpi.allreduce(steps)
   local best = 1
   for node = 2, tree.numNodes do
      if steps[node] > steps[best] then best = node end
   end
   elements.each('distlearn', values, function(t) mpi.broadcast(t, best - 1) end)
end

-- ipc.Tree(nodeIndex, numNodes): reductions over all nodes, which are the ranks of MPI: node 1 is rank 0. Nodes may
-- take different numbers of steps: one that has done its own takes part with zeros until all have.

local mpi = require 'mpi'
local check, elements = require 'torch.base.check', require 'mpi.elements'

local tree = { nodeIndex = mpi.rank() + 1, numNodes = mpi.size() }

-- Replaces each tensor of a nested table by what f returns for it; returns the value.
function tree.walkTable(value, f)
   if elements.of_tensor(value) then return f(value) end
   check.kind('tree.walkTable', 'argument 1', value, 'table')
   for key, inner in pairs(value) do
      if type(inner) == 'table' or elements.of_tensor(inner) then value[key] = tree.walkTable(inner, f) end
   end
   return value
end

-- The reduction that MPI has built in: pass it for sums.
function tree.add(a, b) return a:add(b) end

-- Gives all nodes the tensors of node 1.
function tree.scatter(value)
   return elements.each('tree.scatter', value, function(t) mpi.broadcast(t, 0) end)
end

-- Combines t with that of all other nodes by f(a, b), which returns a; up a binary tree and down again.
local function reduce_by(t, f)
   local index, count = tree.nodeIndex, tree.numNodes
   local from_child
   for child = 2 * index, 2 * index + 1 do
      if child <= count then
         from_child = from_child or t:clone()
         mpi.recv(from_child, child - 1)
         local result = f(t, from_child)
         if result and not rawequal(result, t) then t:copy(result) end
      end
   end
   if index > 1 then mpi.send(t, (index - index % 2) / 2 - 1) end
   mpi.broadcast(t, 0)
end

local function reduce(value, f)
   elements.each('tree.allReduce', value, function(t)
      if f == tree.add then mpi.allreduce(t) else reduce_by(t, f) end
   end)
end

-- Combines the tensors of all nodes by f(a, b). Returns them and the number of nodes that took part. With a function
-- `zero` this node has done its steps: it takes part with zero(t) until all others are in such a call, too.
function tree.allReduce(value, f, zero)
   check.callable('tree.allReduce', 'argument 2', f)
   if not zero then
      local taking_part = mpi.allreduce(1)
      reduce(value, f)
      return value, taking_part
   end
   while mpi.allreduce(0) > 0 do
      tree.walkTable(value, zero)
      reduce(value, f)
   end
   return value, 0
end

function tree.netStats() return {} end

return function(node_index, node_count)
   if node_count ~= nil and node_count ~= tree.numNodes then
      check.fail('ipc.Tree', 'ranks must be as many as nodes, by mpiexec -n %s t7 ... (got %.0f)', node_count,
         tree.numNodes)
   end
   if node_index ~= nil and node_index ~= tree.nodeIndex then
      check.fail('ipc.Tree', "rank %.0f is node %.0f (got %s): pass require 'mpi'.rank() + 1", mpi.rank(),
         tree.nodeIndex, node_index)
   end
   return tree
end

-- distlearn.AllReduceEA(tree, tau, alpha): elastic averaging. Each node trains separate parameters; after every `tau`
-- steps they and a center that all nodes share move towards each other, by the fraction `alpha` of the difference.

local check, elements = require 'torch.base.check', require 'mpi.elements'
local finish_steps, Tree = require 'distlearn.finish_steps', require 'ipc.Tree'

return function(tree, tau, alpha)
   tree = tree or Tree()
   check.size('AllReduceEA', 'tau', tau)
   check.number('AllReduceEA', 'alpha', alpha)
   local steps, averaged = 0, 0
   local center, delta       -- lists of tensors, in the order of the parameters

   local function list_of(parameters)
      local list = {}
      elements.each('AllReduceEA', parameters, function(t) list[#list + 1] = t end)
      return list
   end

   local function begin(list)
      if center then return end
      center, delta = {}, {}
      for i = 1, #list do center[i], delta[i] = list[i]:clone(), list[i]:clone():zero() end
   end

   local ea = {}

   -- Counts a step; after each `tau` of them moves the parameters towards the center, and the center towards those of
   -- all nodes.
   function ea.averageParameters(parameters)
      steps = steps + 1
      if steps % tau ~= 0 then return end
      local list = list_of(parameters)
      begin(list)
      for i = 1, #list do
         delta[i]:copy(list[i]):add(-1, center[i]):mul(alpha)
         list[i]:add(-1, delta[i])
      end
      tree.allReduce(delta, tree.add)
      for i = 1, #list do center[i]:add(delta[i]) end
      averaged = averaged + 1
   end

   -- Gives all nodes the same center. Nodes with fewer steps wait for the others.
   function ea.synchronizeCenter(parameters)
      local list = list_of(parameters)
      begin(list)
      finish_steps(tree, averaged, list, center)
      steps, averaged = 0, 0
   end

   -- Gives all nodes, and the center, the parameters of the node with the most steps; before any step, those of node 1.
   function ea.synchronizeParameters(parameters)
      local list = list_of(parameters)
      begin(list)
      finish_steps(tree, averaged, list, list)
      for i = 1, #list do center[i]:copy(list[i]) end
      steps, averaged = 0, 0
   end

   return ea
end

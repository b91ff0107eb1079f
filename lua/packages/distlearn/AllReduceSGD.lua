-- distlearn.AllReduceSGD(tree): each node computes the gradients of its samples, and all use their mean.

local finish_steps, Tree = require 'distlearn.finish_steps', require 'ipc.Tree'

return function(tree)
   tree = tree or Tree()
   local steps = 0
   local sgd = {}

   -- Replaces gradients by their sums over the nodes that take part; returns the number of these.
   function sgd.sumGradients(gradients)
      local _, taking_part = tree.allReduce(gradients, tree.add)
      steps = steps + 1
      return taking_part
   end

   -- Replaces gradients by their means over the nodes that take part.
   function sgd.sumAndNormalizeGradients(gradients)
      local taking_part = sgd.sumGradients(gradients)
      if taking_part > 1 then tree.walkTable(gradients, function(t) return t:div(taking_part) end) end
   end

   -- Gives all nodes the parameters of the node with the most steps; before any step, those of node 1. Nodes with fewer
   -- steps wait here, and take part in the sums of the others with zeros.
   function sgd.synchronizeParameters(parameters)
      finish_steps(tree, steps, parameters, parameters)
      steps = 0
   end

   return sgd
end

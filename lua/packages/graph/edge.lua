-- graph.Edge: from one node to another.

local torch = require 'torch'
local errors = require 'torch.base.errors'

return function(graph)
   local Edge = torch.class('graph.Edge', graph)

   function Edge:__init(from, to)
      for n, node in ipairs { from or false, to or false } do
         if not torch.isTypeOf(node, 'graph.Node') then
            errors.argument_error('Edge', n, 'a graph.Node', node or nil)
         end
      end
      self.from, self.to = from, to
   end
end

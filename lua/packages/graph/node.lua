-- graph.Node: a node with its data and the nodes that its edges lead to.

local torch = require 'torch'
local check, errors = require 'torch.base.check', require 'torch.base.errors'

return function(graph)
   local Node = torch.class('graph.Node', graph)

   -- `id` is the index in the graph that the node was last added to.
   function Node:__init(data)
      self.data = data
      self.id = 0
      self.children = {}
      self.visited, self.marked = false, false
   end

   -- Adds edges to a node or to a list of nodes; a node that is already a child keeps its index.
   function Node:add(child)
      if type(child) == 'table' and child.children and torch.typename(child) then
         if not self.children[child] then
            self.children[#self.children + 1] = child
            self.children[child] = #self.children
         end
      elseif type(child) == 'table' and not torch.typename(child) then
         for _, one in ipairs(child) do self:add(one) end
      else
         errors.argument_error('add', 1, 'a graph.Node', child)
      end
   end

   local ON_THE_WAY, DONE = 1, 2

   -- Visits each node that can be reached and is not in `state`, which keeps their states: calls leave(node), children
   -- before their parents. Stops and returns true at an edge to a node on the way, if `cycles`.
   local function visit(start, state, leave, cycles)
      state[start] = ON_THE_WAY
      -- The path from the start: nodes, and how many of their children were visited.
      local way, looked, depth = { start }, { 0 }, 1
      while depth > 0 do
         local node = way[depth]
         local k = looked[depth] + 1
         looked[depth] = k
         local child = node.children[k]
         if child == nil then
            way[depth], state[node] = nil, DONE
            depth = depth - 1
            if leave then leave(node) end
         elseif state[child] == nil then
            state[child] = ON_THE_WAY
            depth = depth + 1
            way[depth], looked[depth] = child, 0
         elseif cycles and state[child] == ON_THE_WAY then
            return true
         end
      end
      return false
   end

   -- Calls f for each node that can be reached, children before their parents.
   function Node:dfs(f)
      check.callable('Node:dfs', 'argument 1', f)
      visit(self, {}, f, false)
   end

   -- Calls f for each node that can be reached, the nearest first.
   function Node:bfs(f)
      check.callable('Node:bfs', 'argument 1', f)
      local seen, queue, first, last = { [self] = true }, { self }, 1, 1
      while first <= last do
         local node = queue[first]
         queue[first], first = nil, first + 1
         f(node)
         for _, child in ipairs(node.children) do
            if not seen[child] then
               seen[child], last = true, last + 1
               queue[last] = child
            end
         end
      end
   end

   -- Tells whether a cycle can be reached. `state` holds nodes that earlier searches have seen.
   function Node:hasCycle(state)
      state = check.kind('Node:hasCycle', 'the state', state or {}, 'table')
      return not state[self] and visit(self, state, nil, true)
   end

   -- The edges that leave the node.
   function Node:edges()
      local list = {}
      for i, child in ipairs(self.children) do list[i] = graph.Edge(self, child) end
      return list
   end

   -- The graph of all that can be reached, with its edges from the nearest to the farthest.
   function Node:graph()
      local g = graph.Graph()
      self:bfs(function(node)
         for _, child in ipairs(node.children) do g:add(graph.Edge(node, child)) end
      end)
      return g
   end

   -- The text of a node in pictures, below its name.
   function Node:label() return tostring(self.data) end

   function Node:graphNodeName() return 'Node' .. self.id end

   function Node:graphNodeAttributes() return {} end
end

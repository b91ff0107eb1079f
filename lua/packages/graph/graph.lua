-- graph.Graph: a list of edges and the nodes at their ends.

local torch = require 'torch'
local errors = require 'torch.base.errors'

return function(graph)
   local Graph = torch.class('graph.Graph', graph)

   function Graph:__init() self.edges, self.nodes = {}, {} end

   local function add_node(self, node)
      if not self.nodes[node] then
         self.nodes[#self.nodes + 1] = node
         self.nodes[node] = #self.nodes
      end
      node.id = self.nodes[node]
   end

   -- Adds an edge or a list of edges, with the nodes at their ends.
   function Graph:add(edge)
      if torch.isTypeOf(edge, 'graph.Edge') then
         if not self.edges[edge] then
            self.edges[#self.edges + 1] = edge
            self.edges[edge] = #self.edges
         end
         add_node(self, edge.from)
         add_node(self, edge.to)
         edge.from:add(edge.to)
      elseif type(edge) == 'table' and not torch.typename(edge) then
         for _, one in ipairs(edge) do self:add(one) end
      else
         errors.argument_error('add', 1, 'a graph.Edge', edge)
      end
   end

   -- The nodes that are not in the field `key` of any edge, in order.
   local function without(self, key)
      local found, list = {}, {}
      for _, edge in ipairs(self.edges) do found[edge[key]] = true end
      for _, node in ipairs(self.nodes) do
         if not found[node] then list[#list + 1] = node end
      end
      return list
   end

   -- The nodes that no edge leads to.
   function Graph:roots() return without(self, 'to') end

   -- The nodes that no edge leaves.
   function Graph:leaves() return without(self, 'from') end

   -- A graph with new nodes on the same data; turn(from, to) gives the direction of each edge.
   local function copied(self, turn)
      local result, made = graph.Graph(), {}
      local function copy_of(node)
         made[node] = made[node] or node.new(node.data)
         return made[node]
      end
      for _, edge in ipairs(self.edges) do
         local from, to = copy_of(edge.from), copy_of(edge.to)
         result:add(graph.Edge(turn(from, to)))
      end
      return result, made
   end

   -- A graph with all edges reversed, and a table from the nodes to those of the new graph.
   function Graph:reverse()
      return copied(self, function(from, to) return to, from end)
   end

   function Graph:clone()
      return (copied(self, function(from, to) return from, to end))
   end

   -- Whether the graph has a cycle.
   function Graph:hasCycle()
      local state = {}
      for _, node in ipairs(self.nodes) do
         if node:hasCycle(state) then return true end
      end
      return false
   end

   -- The nodes in topological order; also the reversed graph, and its roots.
   function Graph:topsort()
      if self:hasCycle() then errors.raise('Graph has cycles') end
      local reversed, made = self:reverse()
      local original, sorted, seen = {}, {}, {}
      for node, copy in pairs(made) do original[copy] = node end
      local roots = reversed:roots()
      for _, root in ipairs(roots) do
         root:dfs(function(node)
            if not seen[node] then
               seen[node] = true
               sorted[#sorted + 1] = original[node]
            end
         end)
      end
      return sorted, reversed, roots
   end
end

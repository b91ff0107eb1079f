-- Pictures of graphs, names for their nodes, and pictures of failures.

local torch = require 'torch'
local errors, nn = require 'torch.base.errors', require 'nn'

return function(nngraph)
   local graph = require 'graph'

   -- Annotates the nodes in local variables of the function that calls it, in tables too, with the variables' names.
   function nngraph.annotateNodes()
      local function name(value, text, depth)
         if torch.isTypeOf(value, 'nngraph.Node') then
            -- The class itself has this type, but no data.
            if value.data then value.data.annotations.name = value.data.annotations.name or text end
         elseif type(value) == 'table' and not torch.typename(value) and depth < 3 then
            for key, inner in pairs(value) do name(inner, text .. '[' .. tostring(key) .. ']', depth + 1) end
         end
      end
      local i = 1
      while true do
         local variable, value = debug.getlocal(2, i)
         if not variable then return end
         if string.sub(variable, 1, 1) ~= '(' then name(value, variable, 0) end
         i = i + 1
      end
   end

   local function graph_of(net)
      if torch.isTypeOf(net, 'nn.gModule') then return net.fg end
      if torch.isTypeOf(net, 'graph.Graph') then return net end
      errors.raise('nngraph: argument 1 must be an nn.gModule or a graph.Graph (got %s)', errors.describe(net))
   end

   -- Draws a gModule with Graphviz and says where the picture is.
   function nngraph.display(net, title) return graph.dot(graph_of(net), title or net.name) end

   local function is_shown(node)
      local module = node.data and node.data.module
      return module and torch.typename(module) ~= 'nn.Identity'
   end

   -- Edges around a node: what led to it leads to where it led, behind all others.
   local function around(node, edges)
      local rest, from, to = {}, {}, {}
      for _, edge in ipairs(edges) do
         if edge[1] == node then
            to[#to + 1] = edge[2]
         elseif edge[2] == node then
            from[#from + 1] = edge[1]
         else
            rest[#rest + 1] = edge
         end
      end
      for _, first in ipairs(from) do
         for _, last in ipairs(to) do rest[#rest + 1] = { first, last } end
      end
      return rest
   end

   -- The text of a graph without its nodes that compute nothing.
   local function simple_text(g, title)
      local edges, lines = {}, { 'digraph G {' }
      for _, node in ipairs(g.nodes) do
         for _, child in ipairs(node.children) do edges[#edges + 1] = { node, child } end
      end
      if title then
         lines[#lines + 1] = 'labelloc="t";'
         lines[#lines + 1] = 'label="' .. string.gsub(tostring(title), '"', '\\"') .. '";'
      end
      lines[#lines + 1] = 'node [shape = oval]; '
      for _, node in ipairs(g.nodes) do
         if is_shown(node) then
            local label = graph._dotEscape('Node' .. node.id .. '\n' .. node:label())
            lines[#lines + 1] = string.format('n%d[label=%s];', node.id, label)
         else
            edges = around(node, edges)
         end
      end
      for _, edge in ipairs(edges) do lines[#lines + 1] = string.format('n%d -> n%d;', edge[1].id, edge[2].id) end
      lines[#lines + 1] = '}'
      return table.concat(lines, '\n')
   end

   nngraph.simple_print = {
      todot = function(g, title) return simple_text(graph_of(g), title) end,
      dot = function(g, title, base)
         local text = simple_text(graph_of(g), title)
         return graph.dot({ todot = function() return text end }, title, base)
      end,
   }

   local drawing = false

   -- Whether an error in a graph leaves a picture of it, in which the node that failed is red.
   function nngraph.setDebug(enable) drawing = enable == true end

   local function marked(self, why)
      local index = string.match(tostring(why), 'gModule%[(%d+)%]')
      local module = index and self.modules[tonumber(index)]
      for _, node in ipairs(self.fg.nodes) do node.data.marked = node.data.module == module or nil end
      local path = (self.name or 'nngraph') .. '-error.svg'
      local ok, written = pcall(graph.dot, self.fg, 'failed: ' .. tostring(why), path)
      require 'torch.base.notice'((ok and 'nngraph: picture of the failure: ' or '') .. tostring(written))
      for _, node in ipairs(self.fg.nodes) do node.data.marked = nil end
   end

   local run = nn.gModule.runForwardFunction
   function nn.gModule:runForwardFunction(func, input)
      if not drawing then return run(self, func, input) end
      local ok, result = pcall(run, self, func, input)
      if ok then return result end
      marked(self, result)
      error(result, 0)
   end
end

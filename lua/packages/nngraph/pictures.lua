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

   -- A picture of modules only: nodes without modules are left out.
   local function simple(g)
      local result, made = graph.Graph(), {}
      local function copy_of(node)
         if not made[node] then
            made[node] = graph.Node(torch.typename(node.data.module) .. ' ' .. (node.data.annotations.name or ''))
         end
         return made[node]
      end
      local function targets(node, list)
         for _, child in ipairs(node.children) do
            if child.data.module then list[#list + 1] = child else targets(child, list) end
         end
         return list
      end
      for _, node in ipairs(g.nodes) do
         if node.data.module then
            for _, target in ipairs(targets(node, {})) do result:add(graph.Edge(copy_of(node), copy_of(target))) end
         end
      end
      return result
   end

   nngraph.simple_print = {
      todot = function(g, title) return simple(graph_of(g)):todot(title) end,
      dot = function(g, title, base) return graph.dot(simple(graph_of(g)), title, base) end,
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

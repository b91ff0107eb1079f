-- Pictures of graphs: text for Graphviz, and the files that its program `dot` makes of it.

local check, errors = require 'torch.base.check', require 'torch.base.errors'
local host, notice = require 'torch.native.host', require 'torch.base.notice'

local FORMATS = { svg = true, pdf = true, png = true, ps = true, eps = true, jpg = true, gif = true }

return function(graph)
   -- Identifiers as they are, other texts in quotes.
   graph._dotEscape = function(text)
      if type(text) ~= 'number' then check.kind('_dotEscape', 'the text', text, 'string') end
      text = tostring(text)
      if not string.find(text, '[^%a]') then return text end
      return '"' .. string.gsub(string.gsub(text, '\n', '\\n'), '"', '\\"') .. '"'
   end
   local escaped = graph._dotEscape

   -- The attributes of a node as a sorted list of texts, without its label; and that.
   local function attributes(node)
      local list = {}
      for key, value in pairs(node.graphNodeAttributes and node:graphNodeAttributes() or {}) do
         list[#list + 1] = tostring(key) .. '=' .. escaped(tostring(value))
      end
      table.sort(list)
      local name = node.graphNodeName and node:graphNodeName() or 'Node' .. node.id
      return list, 'label=' .. escaped(name .. '\n' .. node:label())
   end

   -- The text of the graph in the language of Graphviz. `sorted` has the label among the attributes, as in what `dot`
   -- makes of it.
   local function text_of(g, title, sorted)
      local lines = { 'digraph G {' }
      if title then
         lines[#lines + 1] = 'labelloc="t";'
         lines[#lines + 1] = 'label="' .. string.gsub(tostring(title), '"', '\\"') .. '";'
      end
      lines[#lines + 1] = 'node [shape = oval]; '
      for _, node in ipairs(g.nodes) do
         local list, label = attributes(node)
         if sorted then
            list[#list + 1] = label
            table.sort(list)
            lines[#lines + 1] = string.format('n%d [%s];', node.id, table.concat(list, ', '))
         else
            lines[#lines + 1] = string.format('n%d[%s %s];', node.id, label, table.concat(list, ' '))
         end
      end
      for _, edge in ipairs(g.edges) do
         lines[#lines + 1] = string.format('n%d -> n%d;', edge.from.id, edge.to.id)
      end
      lines[#lines + 1] = '}'
      return table.concat(lines, '\n')
   end

   function graph.Graph:todot(title) return text_of(self, title, false) end

   local is_installed = host.find_program

   local MISSING = "%s: no program '%s' (Graphviz draws the pictures: apt-get install graphviz, or see graphviz.org)"

   -- Lets a program of Graphviz draw a text into a file whose extension names the format.
   local function draw(name, program, text, path)
      if not is_installed(program) then errors.raise(MISSING, name, program) end
      local ending = string.match(path, '%.(%w+)$')
      if not FORMATS[ending] then
         errors.raise("%s: the name of the file should end in .svg, .pdf or .png (got '%s')", name, path)
      end
      -- Keeps a name that begins with a minus from being an option.
      local target = string.find(path, '^-') and './' .. path or path
      local done, why = host.run_program(text, program, '-T' .. ending, '-o', target)
      if not done then errors.raise("%s: %s could not write '%s': %s", name, program, path, why) end
   end

   local function check_graph(name, g)
      if type(g) ~= 'table' or not g.todot then errors.argument_error(name, 1, 'a graph.Graph', g) end
   end

   -- Draws a graph into <base>.svg and writes <base>.dot, the text with the places of nodes; without a base, into a
   -- file that is shown. Returns the name of the picture. Without Graphviz only the text is written, without places,
   -- and programs continue. An object that has no nodes, but a text, is written as it is.
   function graph.dot(g, title, base)
      check_graph('dot', g)
      local text, installed = g:todot(title), is_installed 'dot'
      local shown = not base
      if shown then base = os.tmpname() end
      local path = string.find(base, '%.%w+$') and FORMATS[string.match(base, '%.(%w+)$')] and base or base .. '.svg'
      local written = string.gsub(path, '%.%w+$', '.dot')
      local file = io.open(written, 'w')
      if not file then errors.raise("dot: cannot write '%s'", path) end
      file:write(g.nodes and (installed and host.run_program(text, 'dot', '-Tdot') or text_of(g, title, true)) or text)
      file:close()
      if not installed then
         notice(MISSING .. '; the text of the graph is in %s', 'graph.dot', 'dot', written)
         return written
      end
      draw('dot', 'dot', text, path)
      if shown then io.write('graph.dot: ', path, '\n') end
      return path
   end

   -- Draws a graph by an algorithm of Graphviz, 'dot' by default, into a file.
   function graph.graphvizFile(g, algorithm, path)
      check_graph('graphvizFile', g)
      draw('graphvizFile', algorithm or 'dot', g:todot(), path)
   end

   -- Where an algorithm of Graphviz puts the nodes: a tensor of n x 2, by their ids, within the unit square.
   function graph.graphvizLayout(g, algorithm)
      check_graph('graphvizLayout', g)
      local torch = require 'torch'
      local program = algorithm or 'dot'
      if not is_installed(program) then
         errors.raise("graphvizLayout: no program '%s' (Graphviz computes it: apt-get install graphviz)", program)
      end
      local plain, why = host.run_program(g:todot(), program, '-Tplain')
      if not plain then errors.raise('graphvizLayout: %s: %s', program, why) end
      local width, height = string.match(plain, 'graph %S+ (%S+) (%S+)')
      local positions = torch.zeros(#g.nodes, 2)
      for id, x, y in string.gmatch(plain, '\nnode n(%d+) (%S+) (%S+)') do
         positions[tonumber(id)][1] = tonumber(x) / math.max(tonumber(width), 1e-9)
         positions[tonumber(id)][2] = tonumber(y) / math.max(tonumber(height), 1e-9)
      end
      return positions
   end
end

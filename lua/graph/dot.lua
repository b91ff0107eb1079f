-- Pictures of graphs: text for Graphviz, and the files that its program `dot` makes of it.

local check, errors = require 'torch.base.check', require 'torch.base.errors'
local host, notice = require 'torch.native.host', require 'torch.base.notice'

local FORMATS = { svg = true, pdf = true, png = true, ps = true, eps = true, jpg = true, gif = true }

return function(graph)
   local function quoted_marks(text) return (tostring(text):gsub('"', '\\"')) end

   -- Escapes text for a quoted string of Graphviz; line breaks become those of left-aligned labels.
   local function escaped(text) return (quoted_marks(text):gsub('\n', '\\l')) end

   graph._dotEscape = function(text)
      if type(text) ~= 'number' then check.kind('_dotEscape', 'the text', text, 'string') end
      text = tostring(text)
      if text:find '^[%a_][%w_]*$' or text:find '^%-?%d*%.?%d+$' then return text end
      return '"' .. quoted_marks(text) .. '"'
   end

   local function attributes(node)
      local list = {}
      for key, value in pairs(node:graphNodeAttributes()) do
         list[#list + 1] = string.format('%s="%s"', key, escaped(value))
      end
      table.sort(list)
      return table.concat(list, ', ')
   end

   -- The text of the graph in the language of Graphviz.
   function graph.Graph:todot(title)
      local lines = { 'digraph G {', 'labelloc="t";' }
      if title then lines[#lines + 1] = string.format('label="%s";', escaped(title)) end
      lines[#lines + 1] = 'node [shape = oval];'
      for _, node in ipairs(self.nodes) do
         local more = attributes(node)
         lines[#lines + 1] = string.format('%s [label="%s"%s];', node:graphNodeName(), escaped(node:label()),
            more ~= '' and ', ' .. more or '')
      end
      for _, edge in ipairs(self.edges) do
         lines[#lines + 1] = string.format('%s -> %s;', edge.from:graphNodeName(), edge.to:graphNodeName())
      end
      lines[#lines + 1] = '}'
      return table.concat(lines, '\n')
   end

   local is_installed = host.find_program

   local MISSING = "%s: no program '%s' (Graphviz draws the pictures: apt-get install graphviz, or see graphviz.org)"

   -- Has a program of Graphviz draw a text into a file whose ending names the format.
   local function draw(name, program, text, path)
      if not is_installed(program) then errors.raise(MISSING, name, program) end
      local ending = path:match '%.(%w+)$'
      if not FORMATS[ending] then
         errors.raise("%s: the name of the file should end in .svg, .pdf or .png (got '%s')", name, path)
      end
      -- Keeps a name that begins with a minus from being an option.
      local target = path:find '^-' and './' .. path or path
      local done, why = host.run_program(text, program, '-T' .. ending, '-o', target)
      if not done then errors.raise("%s: %s could not write '%s': %s", name, program, path, why) end
   end

   local function check_graph(name, g)
      if type(g) ~= 'table' or not g.todot then errors.refuse(name, 1, 'a graph.Graph', g) end
   end

   -- Draws a graph into <base>.svg and writes its text to <base>.dot; without a base, into a file that is shown.
   -- Returns the name of the picture. Without Graphviz only the text is written, and programs continue, as with the
   -- original.
   function graph.dot(g, title, base)
      check_graph('dot', g)
      local text = g:todot(title)
      local shown = not base
      if shown then base = os.tmpname() end
      local path = base:find '%.%w+$' and FORMATS[base:match '%.(%w+)$'] and base or base .. '.svg'
      local written = path:gsub('%.%w+$', '.dot')
      local file = io.open(written, 'w')
      if not file then errors.raise("dot: cannot write '%s'", path) end
      file:write(text)
      file:close()
      if not is_installed 'dot' then
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

   -- Where an algorithm of Graphviz puts the nodes: a tensor of n x 2, and a table from node to row.
   function graph.graphvizLayout(g, algorithm)
      check_graph('graphvizLayout', g)
      local torch = require 'torch'
      local program = algorithm or 'dot'
      if not is_installed(program) then
         errors.raise("graphvizLayout: no program '%s' (Graphviz computes it: apt-get install graphviz)", program)
      end
      local plain, why = host.run_program(g:todot(), program, '-Tplain')
      if not plain then errors.raise('graphvizLayout: %s: %s', program, why) end
      local positions, rows = torch.zeros(#g.nodes, 2), {}
      local row_of = {}
      for i, node in ipairs(g.nodes) do row_of[node:graphNodeName()], rows[node] = i, i end
      for line in plain:gmatch '[^\n]+' do
         local name, x, y = line:match '^node (%S+) (%S+) (%S+)'
         if name and row_of[name] then
            positions[row_of[name]][1], positions[row_of[name]][2] = tonumber(x), tonumber(y)
         end
      end
      return positions, rows
   end
end

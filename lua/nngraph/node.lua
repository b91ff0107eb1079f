-- nngraph.Node: a module, or a part of a split, and the nodes that its inputs come from: its children.
--
-- data.module is the module; data.mapindex lists the data of the children in the order of the inputs, and tells the
-- index of each; data.annotations holds the annotations of programs; data.selectindex is the index of a part in the
-- table that was split, data.nSplitOutputs their number; the keys of data.reverseMap are the nodes that this one is an
-- input of. data.annotations._debugLabel names the line of the program that made the node.

local torch = require 'torch'
local errors, operators = require 'torch.base.errors', require 'nngraph.operators'

return function(nngraph)
   local Node, parent = torch.class('nngraph.Node', 'graph.Node', nngraph)

   -- Names the line of the program that made a node.
   function Node:_makeDebugLabel(info)
      if not info then return '[?]' end
      return string.format('[%s]:%d', info.short_src:match '[^/\\]*$', info.currentline)
   end

   local function line_of_program()
      local level = 2
      while true do
         local info = debug.getinfo(level, 'Sl')
         if not info or info.currentline > 0 and not errors.is_library(info.source) then return info end
         level = level + 1
      end
   end

   function Node:__init(data)
      parent.__init(self, data)
      data = self.data
      if type(data) ~= 'table' then errors.refuse('Node', 1, 'a table', data) end
      data.annotations = data.annotations or {}
      data.mapindex = data.mapindex or {}
      data.annotations._debugLabel = data.annotations._debugLabel or self:_makeDebugLabel(line_of_program())
   end

   -- Adds a node; `is_input` says that it is the next input.
   function Node:add(child, is_input)
      parent.add(self, child)
      if not is_input then return end
      local mapindex = self.data.mapindex
      if mapindex[child.data] then
         errors.raise('%s: a node for one input only expected; nn.Identity()(node) makes another one (input %d is '
            .. 'input %d too)', self:name(), #mapindex + 1, mapindex[child.data])
      end
      mapindex[#mapindex + 1] = child.data
      mapindex[child.data] = #mapindex
      child.data.reverseMap = child.data.reverseMap or {}
      child.data.reverseMap[self] = true
   end

   -- Names the node in messages.
   function Node:name()
      local data = self.data
      local name = data.annotations.name or data.module and torch.typename(data.module)
         or data.selectindex and 'part ' .. data.selectindex .. ' of a split' or 'node'
      return string.format('%s, declared at %s', name, data.annotations._debugLabel or '[?]')
   end

   -- Sets annotations from a table and returns the node: `name` is shown in pictures and messages.
   function Node:annotate(annotations)
      if type(annotations) ~= 'table' then errors.refuse('annotate', 1, 'a table', annotations) end
      for key, value in pairs(annotations) do self.data.annotations[key] = value end
      return self
   end

   -- Nodes for the first `count` elements of the node's output, a table.
   function Node:split(count)
      if type(count) ~= 'number' or count < 1 or count % 1 ~= 0 then
         errors.refuse('split', 1, 'a number of outputs of at least 1', count)
      end
      if count == 1 then return nngraph.JustElement()(self) end
      local data = self.data
      local where = (data.annotations._debugLabel or '') .. ' split at ' .. self:_makeDebugLabel(line_of_program())
      local annotations = {}
      for key, value in pairs(data.annotations) do annotations[key] = value end
      annotations._debugLabel = where .. '-mnode'
      local all = nngraph.Node { nSplitOutputs = count, annotations = annotations }
      all:add(self, true)
      local parts = {}
      for i = 1, count do
         parts[i] = nngraph.Node { selectindex = i, annotations = { _debugLabel = where .. '-' .. i } }
         parts[i]:add(all, true)
      end
      return unpack(parts)
   end

   local function shown(value, depth)
      if torch.isTensor(value) then
         return string.format('%s[%s]', value:type():match '[^.]*$', table.concat(value:size():totable(), 'x'))
      end
      if torch.typename(value) then return torch.typename(value) end
      if type(value) ~= 'table' then return tostring(value) end
      if depth > 2 then return '{...}' end
      local parts = {}
      for i, inner in ipairs(value) do parts[i] = shown(inner, depth + 1) end
      return '{' .. table.concat(parts, ', ') .. '}'
   end

   -- The text of a node in pictures.
   function Node:label()
      local data, lines = self.data, {}
      local function add(key, value) lines[#lines + 1] = key .. ' = ' .. value end
      for _, key in ipairs { 'selectindex', 'nSplitOutputs' } do
         if data[key] then add(key, data[key]) end
      end
      if data.module then add('module', tostring(data.module)) end
      if data.input and #data.input > 0 then add('input', shown(data.input, 0)) end
      if data.gradOutput and #data.gradOutput > 0 then add('gradOutput', shown(data.gradOutput, 0)) end
      local names = {}
      for key in pairs(data.annotations) do
         if type(key) == 'string' and key ~= 'graphAttributes' and key ~= '_debugLabel' then names[#names + 1] = key end
      end
      table.sort(names)
      for _, key in ipairs(names) do add(key, tostring(data.annotations[key])) end
      return table.concat(lines, '\n')
   end

   function Node:graphNodeName()
      local name = self.data.annotations.name
      if name then return string.format('"%s (%d)"', tostring(name):gsub('"', "'"), self.id) end
      return 'Node' .. self.id
   end

   function Node:graphNodeAttributes()
      local attributes = {}
      for key, value in pairs(self.data.annotations.graphAttributes or {}) do attributes[key] = value end
      if self.data.marked then attributes.fontcolor, attributes.color = 'red', 'red' end
      return attributes
   end

   -- node - module is module(node).
   Node.__sub__ = operators.subtract
end

-- nngraph.Node: a module, or a part of a split, and the nodes that its inputs come from: its children.
--
-- data.module is the module; data.mapindex lists the data of the children in the order of the inputs, and tells the
-- index of each; data.annotations holds the annotations of programs; data.selectindex is the index of a part in the
-- table that was split, data.nSplitOutputs their number; the keys of data.reverseMap are the nodes that this one is an
-- input of. data.annotations._debugLabel names the line of the program that made the node.

local torch = require 'torch'
local errors, key_order = require 'torch.base.errors', require 'torch.base.key_order'
local operators = require 'nngraph.operators'

return function(nngraph)
   local Node, parent = torch.class('nngraph.Node', 'graph.Node', nngraph)

   -- Names the line of the program that made a node.
   function Node:_makeDebugLabel(info)
      if not info then return end
      self.data.annotations._debugLabel = string.format('[%s]:%d_%s', info.short_src, info.currentline, info.name or '')
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
      if type(data) ~= 'table' then errors.argument_error('Node', 1, 'a table', data) end
      data.annotations = data.annotations or {}
      data.mapindex = data.mapindex or {}
      data.reverseMap = data.reverseMap or {}
      if not data.annotations._debugLabel then self:_makeDebugLabel(line_of_program()) end
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
      if type(annotations) ~= 'table' then errors.argument_error('annotate', 1, 'a table', annotations) end
      for key, value in pairs(annotations) do self.data.annotations[key] = value end
      return self
   end

   -- Nodes for the first `count` elements of the node's output, a table.
   function Node:split(count)
      if type(count) ~= 'number' or count < 1 or count % 1 ~= 0 then
         errors.argument_error('split', 1, 'a number of outputs of at least 1', count)
      end
      if count == 1 then return nngraph.JustElement()(self) end
      local data = self.data
      local label, info = data.annotations._debugLabel or '[?]', line_of_program()
      local where = info and string.format(' split at [%s]:%d', info.short_src, info.currentline) or ''
      local all = nngraph.Node { nSplitOutputs = count, annotations = { _debugLabel = label .. where .. '-mnode' } }
      all:add(self, true)
      local parts = {}
      for i = 1, count do
         parts[i] = nngraph.Node { selectindex = i, input = {}, annotations = { _debugLabel = label .. '-' .. i } }
         parts[i]:add(all, true)
      end
      return unpack(parts)
   end

   -- NaN, inf or -inf where a tensor holds one.
   local function non_finite(x)
      if x:nElement() == 0 or not string.find(x:type(), '%u%l+Tensor$') then return '' end
      if x:ne(x):sum() > 0 then return 'NaN' end
      return x:max() == math.huge and 'inf' or x:min() == -math.huge and '-inf' or ''
   end

   local function shown(value)
      if not value then return '' end
      if torch.isTensor(value) then
         local kind = value:type() == torch.getdefaulttensortype() and 'Tensor' or value:type()
         return kind .. '[' .. table.concat(value:size():totable(), 'x') .. ']' .. non_finite(value)
      end
      if type(value) ~= 'table' or torch.typename(value) then return (string.gsub(tostring(value), '\n', '\\l')) end
      local parts = {}
      for i, inner in ipairs(value) do parts[i] = shown(inner) end
      return '{' .. table.concat(parts, ',') .. '}'
   end

   -- The text of a node in pictures, below its name: the description, and the fields of `data` in the order of pairs.
   function Node:label()
      local lines = {}
      for key, value in key_order.pairs(self.data) do
         if key == 'mapindex' then
            local from = {}
            for i, data in ipairs(value) do from[i] = 'Node' .. (data.forwardNodeId or '') end
            if #value > 1 then lines[#lines + 1] = 'mapindex = {' .. table.concat(from, ',') .. '}' end
         elseif key ~= 'forwardNodeId' and key ~= 'annotations' and key ~= 'marked' then
            lines[#lines + 1] = key .. ' = ' .. shown(value)
         end
      end
      local description = self.data.annotations.description
      return (description and 'desc = ' .. tostring(description) .. '\\n' or '') .. table.concat(lines, '\\l')
   end

   function Node:graphNodeName()
      local name = self.data.annotations.name
      return name and string.format('%s (%d)', tostring(name), self.id) or 'Node' .. self.id
   end

   -- Those of the annotation `graphAttributes`, and the line of the program as tooltip.
   function Node:graphNodeAttributes()
      local annotations = self.data.annotations
      annotations.graphAttributes = annotations.graphAttributes or {}
      annotations.graphAttributes.tooltip = annotations.graphAttributes.tooltip or annotations._debugLabel
      if not self.data.marked then return annotations.graphAttributes end
      local attributes = { fontcolor = 'red', color = 'red' }
      for key, value in pairs(annotations.graphAttributes) do attributes[key] = attributes[key] or value end
      return attributes
   end

   -- node - module is module(node).
   Node.__sub__ = operators.subtract
end

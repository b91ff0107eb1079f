-- nn.gModule: the graph between input nodes and output nodes as a module.
--
-- `bg` has the edges from each node to its inputs, as the nodes have them, `fg` the other way; innode precedes the
-- inputs, outnode follows the outputs. forwardnodes and backwardnodes list the nodes in the order of computation. The
-- work itself is a list of steps, made from them when it is first needed: see steps.lua.

local torch = require 'torch'
local errors, nn = require 'torch.base.errors', require 'nn'
local steps, expect = require 'nngraph.steps', require 'nn.checks.expect'

local function reject_unused(bg)
   for _, node in ipairs(bg.nodes) do
      local count = node.data.nSplitOutputs
      if count then
         local used = 0
         for _, user in ipairs(bg.nodes) do
            if user.data.selectindex and user.children[1] == node then used = used + 1 end
         end
         if used ~= count then
            errors.raise('gModule: %d of split(%d) outputs from the node declared at %s are unused', count - used,
               count, node.data.annotations._debugLabel or '[?]')
         end
      end
   end
end

-- A node without users is usually a mistake.
local function reject_dangling(bg)
   local inside = {}
   for _, node in ipairs(bg.nodes) do inside[node] = true end
   local first
   for _, node in ipairs(bg.nodes) do
      for user in pairs(node.data.reverseMap or {}) do
         -- It is not if another graph uses it.
         local label = user.data.annotations._debugLabel or '[?]'
         if not inside[user] and not user.data.forwardNodeId and (not first or label < first) then first = label end
      end
   end
   if first then
      errors.raise('gModule: node declared on %s does not connect to gmodule output', first)
   end
end

return function(nngraph)
   local gModule, parent = torch.class('nn.gModule', 'nn.Container', nn)
   local operators = require 'nngraph.operators'

   local function check_list(list, name)
      if type(list) ~= 'table' or torch.typename(list) then
         errors.raise('gModule: %s must be a table of nodes (got %s)', name, errors.describe(list))
      end
      operators.check_nodes(list, name)
      if #list == 0 then errors.raise('gModule: %s must have at least one node (got none)', name) end
   end

   function gModule:__init(inputs, outputs)
      parent.__init(self)
      check_list(outputs, 'outputs')
      check_list(inputs, 'inputs')
      for i, node in ipairs(inputs) do
         if #node.children > 0 then
            errors.raise('gModule: inputs[%d] must have no inputs (it is one of another graph, or made of a node)', i)
         end
      end
      local Node = nngraph.Node
      local outnode, innode = Node { input = {} }, Node { input = {} }
      for i, node in ipairs(outputs) do
         outnode:add(node)
         -- A node may be several outputs: the list is compared, not the edges.
         local mapindex = outnode.data.mapindex
         mapindex[i], mapindex[node.data] = node.data, mapindex[node.data] or i
      end
      if #inputs == 1 then
         inputs[1]:add(innode, true)
      else
         local parts = { innode:split(#inputs) }
         for i, node in ipairs(inputs) do node:add(parts[i], true) end
      end
      self.bg = outnode:graph()
      if self.bg:hasCycle() then errors.raise('gModule: graph must have no cycles') end
      reject_unused(self.bg)
      reject_dangling(self.bg)
      self.nInputs, self.outnode = #inputs, outnode
      self.fg = self.bg:reverse()
      for _, root in ipairs(self.fg:roots()) do
         if root.data == innode.data then self.innode = root end
      end
      if not self.innode then errors.raise('gModule: outputs must depend on an input (got none)') end
      self.backwardnodes = self.bg:topsort()
      self.forwardnodes = self.fg:topsort()
      self.verbose = false
      for _, node in ipairs(self.forwardnodes) do
         node.data.forwardNodeId = node.id
         if node.data.module then self.modules[#self.modules + 1] = node.data.module end
      end
      self.output, self.gradInput = nil, nil
   end

   -- The lists of steps are not fields: neither files nor copies have them, and programs that compare the fields of a
   -- clone with those of the original find them equal.
   local lists = setmetatable({}, { __mode = 'k' })

   local function steps_of(self)
      local list = lists[self]
      if not list then
         list = steps.make(self)
         lists[self] = list
      end
      return list
   end

   -- Runs func(module, input) for each module in turn; `func` may be the name of a method.
   function gModule:runForwardFunction(func, input)
      if type(func) ~= 'string' and type(func) ~= 'function' then
         errors.argument_error('runForwardFunction', 1, 'a function or name of a method', func)
      end
      if self.nInputs > 1 then
         if type(input) ~= 'table' or torch.typename(input) then
            expect.fail(self, 'expecting table of %d inputs (got %s)', self.nInputs, expect.describe(input))
         end
         if #input ~= self.nInputs then expect.fail(self, 'Got %d inputs instead of %d', #input, self.nInputs) end
      elseif input == nil then
         expect.fail(self, 'input must be a tensor or a table (got nil)')
      end
      self.output = steps.forward(self, steps_of(self), func, input)
      return self.output
   end

   function gModule:updateOutput(input) return self:runForwardFunction('updateOutput', input) end

   function gModule:updateGradInput(_, gradOutput)
      local list = steps_of(self)
      if not list.done then expect.fail(self, 'backward called before forward') end
      if list.outputs > 1 and (type(gradOutput) ~= 'table' or #gradOutput ~= list.outputs) then
         expect.fail(self, 'gradOutput must have %d tensors (got %s)', list.outputs, expect.describe(gradOutput))
      end
      self.gradInput = steps.backward(self, list, gradOutput)
      return self.gradInput
   end

   function gModule:accGradParameters(_, _, scale)
      local list = steps_of(self)
      if not list.turned then expect.fail(self, 'accGradParameters called before updateGradInput') end
      steps.accumulate(self, list, scale)
   end

   -- Shares the parameters of another graph of the same structure.
   function gModule:share(other, ...)
      if not torch.isTypeOf(other, 'nn.gModule') or #other.modules ~= #self.modules then
         errors.argument('share', 1, 'must be a gModule of %d modules (got %s)', #self.modules,
            torch.isTypeOf(other, 'nn.gModule') and 'one of ' .. #other.modules or errors.describe(other))
      end
      return parent.share(self, other, ...)
   end

   -- The tensors of the last pass that the nodes hold are converted, too.
   function gModule:type(name, cache)
      if not name then return self._type end
      cache = cache or {}
      for _, module in ipairs(self.modules) do module:type(name, cache) end
      local recursiveType = nn.utils.recursiveType
      for _, field in ipairs { 'output', 'gradInput' } do self[field] = recursiveType(self[field], name, cache) end
      for _, nodes in ipairs { self.forwardnodes, self.backwardnodes } do
         for _, node in ipairs(nodes) do
            for _, field in ipairs { 'input', 'gradOutput', 'gradOutputBuffer' } do
               node.data[field] = recursiveType(node.data[field], name, cache)
            end
         end
      end
      lists[self] = nil
      self._type = name
      return self
   end

   function gModule:clearState()
      parent.clearState(self)
      lists[self] = nil
      for _, node in ipairs(self.forwardnodes) do
         local data = node.data
         data.input, data.gradOutput, data.gradOutputBuffer = nil, nil, nil
      end
      return self
   end

   function gModule:replace(callback)
      expect.callable(self, 'callback', callback)
      local out = callback(self)
      local changed = {}
      for i, module in ipairs(self.modules) do
         self.modules[i] = module:replace(callback)
         changed[module] = self.modules[i]
      end
      for _, node in ipairs(self.forwardnodes) do
         local data = node.data
         if data.module then data.module = changed[data.module] end
      end
      lists[self] = nil
      return out
   end

   -- Calls func(module, other) for the modules of two graphs of the same structure, in the order of computation.
   function gModule:map(other, func)
      if not torch.isTypeOf(other, 'nn.gModule') then errors.argument_error('map', 1, 'a gModule', other) end
      expect.callable(self, 'func', func)
      for i, node in ipairs(self.forwardnodes) do
         local module, twin = node.data.module, other.forwardnodes[i]
         local matching = twin and twin.data.module
         if not twin or module and not matching then
            expect.fail(self, 'map: the other graph must have the same structure (%s of node %d has no counterpart)',
               module and expect.name(module) or 'a part', i)
         end
         if module then func(module, matching) end
      end
   end

   -- Graphs of older versions do not store the number of inputs.
   function gModule:upgrade()
      if not self.nInputs then
         local parts = 0
         for _, child in ipairs(self.innode.children) do
            if child.data.selectindex then parts = parts + 1 end
         end
         self.nInputs = parts > 0 and parts or #self.innode.children
      end
   end

   function gModule:__tostring__()
      return rawget(self, 'name') and string.format('%s (nn.gModule)', self.name) or 'nn.gModule'
   end
end

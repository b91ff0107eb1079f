-- The steps of a graph: for each node, in execution order, the sources of its inputs and the targets of its gradients.
-- They are created once; forward, backward and accumulation walk the list.

local torch = require 'torch'
local nn, nesting = require 'nn', require 'nngraph.nesting'
local errors = require 'torch.base.errors'

local steps = {}

local function label(step) return step.data.annotations and step.data.annotations._debugLabel or 'gModule' end

-- Makes the list. A step has: data, the node's; sources, the numbers of the steps that produce its inputs, where 0 is
-- the input of the graph; input, a table that collects several inputs; uses, a list of { step, position } of the steps
-- that consume its output.
function steps.make(self)
   local list, number_of = { values = {}, gradients = {}, back = {} }, {}
   local start, finish = self.innode.data, self.outnode.data
   number_of[start] = 0
   list[0] = { data = start, uses = {} }
   for _, node in ipairs(self.forwardnodes) do
      local data = node.data
      if data ~= start and data ~= finish then
         local step = { data = data, module = data.module, select = data.selectindex, sources = {}, uses = {},
            outputs = not data.module and data.nSplitOutputs or nil }
         for i, source in ipairs(data.mapindex) do
            local from = number_of[source]
            if from == nil then errors.raise('gModule: the graph was changed after it was made') end
            step.sources[i] = from
         end
         list[#list + 1] = step
         number_of[data] = #list
         step.count = #step.sources
         -- Programs read the inputs of the last forward from the nodes.
         step.input = {}
         data.input = step.input
         for i, from in ipairs(step.sources) do
            local uses = list[from].uses
            uses[#uses + 1] = { #list, step.count ~= 1 and i or nil }
         end
      end
   end
   list.results = {}
   local sources = finish.mapindex
   for i, data in ipairs(sources) do
      list.results[i] = number_of[data]
      local uses = list[number_of[data]].uses
      uses[#uses + 1] = { #list + 1, #sources > 1 and i or nil }
   end
   list.outputs = #sources
   -- Indices in `modules`, for messages.
   local module_index = 0
   for i = 1, #list do
      if list[i].module then
         module_index = module_index + 1
         list[i].module_index = module_index
      end
   end
   return list
end

-- Walks forward: func(module, input), or a method of that name, gives the output of each module.
function steps.forward(self, list, func, input)
   local values, named = list.values, type(func) == 'string'
   -- A copy of the caller's list: a change of type converts what the nodes hold in place.
   local several = (self.nInputs or #self.innode.children) > 1
   if several then input = { unpack(input) } end
   values[0] = input
   list.done, list.turned = false, false
   for i = 1, #list do
      local step = list[i]
      local x
      if step.count == 1 then
         x = values[step.sources[1]]
         step.input[1] = x
      else
         x = step.input
         for k = 1, step.count do x[k] = values[step.sources[k]] end
      end
      if step.select then
         x = x[step.select]
      elseif step.outputs then
         if type(x) ~= 'table' or #x ~= step.outputs then
            errors.raise('%s: split(%d) cannot split %s', label(step), step.outputs,
               type(x) == 'table' and #x .. ' outputs' or errors.describe(x))
         end
      elseif step.module then
         if named then
            x = self:rethrowErrors(step.module, step.module_index, func, x)
         else
            x = func(step.module, x)
         end
      end
      values[i] = x
   end
   list.done = true
   local output = {}
   for i = 1, list.outputs do output[i] = values[list.results[i]] end
   self.innode.data.input = several and input or { input }
   self.outnode.data.input = output
   return list.outputs == 1 and output[1] or output
end

-- The input of a step in the last forward pass.
local function input_of(list, step)
   if step.count == 1 then return list.values[step.sources[1]] end
   return step.input
end

-- Copies a gradient, a tensor or nested tables, into a buffer that is made and resized as needed.
local function copied(buffer, gradient)
   if buffer == nil or torch.isTensor(buffer) ~= torch.isTensor(gradient) then return nesting.cloneNested(gradient) end
   nesting.resizeNestedAs(buffer, gradient)
   nesting.copyNested(buffer, gradient)
   return buffer
end

-- The sum of the gradients that reach a step. A single one is passed on; a sum has a separate buffer.
local function gathered(list, step)
   local uses, back = step.uses, list.back
   local total, buffer
   -- Programs read the gradients of the last backward from the nodes.
   local parts, count = step.data.gradOutput or {}, 0
   step.data.gradOutput = parts
   for i = 1, #uses do
      local use = uses[i]
      local gradient = back[use[1]]
      if use[2] and gradient ~= nil then gradient = gradient[use[2]] end
      if gradient ~= nil then
         count = count + 1
         parts[count] = gradient
         if total == nil then
            total = gradient
         else
            if not buffer then
               buffer = copied(step.data.gradOutputBuffer, total)
               step.data.gradOutputBuffer, total = buffer, buffer
            end
            if torch.isTensor(total) and torch.isTensor(gradient) then
               total:add(gradient)
            else
               nn.utils.recursiveAdd(total, gradient)
            end
         end
      end
   end
   for i = count + 1, #parts do parts[i] = nil end
   return total
end

-- The gradient of a table that was split: one gradient for each part.
local function parts_gathered(list, step)
   local parts = {}
   for i = 1, #step.uses do
      local user = list[step.uses[i][1]]
      parts[user.select] = list.gradients[step.uses[i][1]]
   end
   step.data.gradOutput = { parts }
   return parts
end

-- Walks backward and returns the gradient of the graph's input.
function steps.backward(self, list, gradOutput)
   local gradients, back = list.gradients, list.back
   back[#list + 1] = gradOutput
   self.outnode.data.gradOutput = { gradOutput }
   for i = #list, 1, -1 do
      local step = list[i]
      local gradient
      if step.data.nSplitOutputs and not step.module then
         gradient = parts_gathered(list, step)
      else
         gradient = gathered(list, step)
      end
      gradients[i] = gradient
      if step.module then
         back[i] = self:rethrowErrors(step.module, step.module_index, 'updateGradInput', input_of(list, step), gradient)
      else
         back[i] = gradient
      end
   end
   list.turned = true
   local start = list[0]
   if start.uses[1] and self.nInputs > 1 then
      local split = list[start.uses[1][1]]
      if split and split.data.nSplitOutputs then
         local gradInput = gradients[start.uses[1][1]]
         start.data.gradOutput = { gradInput }
         return gradInput
      end
   end
   return gathered(list, start)
end

-- Adds to the gradients of the parameters of all modules, from the last to the first.
function steps.accumulate(self, list, scale)
   for i = #list, 1, -1 do
      local step = list[i]
      if step.module then
         local input, gradient = input_of(list, step), list.gradients[i]
         self:rethrowErrors(step.module, step.module_index, 'accGradParameters', input, gradient, scale)
      end
   end
end

return steps

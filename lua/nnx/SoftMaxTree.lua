-- nn.SoftMaxTree: the logarithms of probabilities of classes at the leaves of a tree: of { input, classes }, each is a
-- product over the path from the root of a softmax over the children.

local torch = require 'torch'
local draw_parameters = require 'nn.draw_parameters'
local check = require 'torch.base.check'
local batch_and_classes = require('nn.expect').batch_and_classes

-- The ids of children: of a tensor or a table.
local function ids_of(children, id)
   if torch.isTensor(children) then
      if children:dim() == 1 then return children:totable() end
   elseif type(children) == 'table' and #children > 0 then
      return children
   end
   return check.fail('SoftMaxTree', 'children of node %s must be a tensor (got %s)', tostring(id),
      check.describe(children))
end

return function(Tree, parent, nn)

   -- `hierarchy[id]` are the children of a node; the root is -1 unless said.
   function Tree:__init(inputSize, hierarchy, rootId, accUpdate)
      parent.__init(self)
      check.integer('SoftMaxTree', 'inputSize', inputSize, 1, 2 ^ 53)
      check.kind('SoftMaxTree', 'hierarchy', hierarchy, 'table')
      self.inputSize, self.rootId, self.accUpdate = inputSize, rootId or -1, accUpdate or false
      local parents, nodes = {}, {}
      for id in pairs(hierarchy) do table.insert(nodes, id) end
      table.sort(nodes)
      -- Children of a node are rows of the weight that follow each other: { first, count }.
      self.rows, self.parents, self.place = {}, parents, {}
      local count = 0
      for _, id in ipairs(nodes) do
         local children = ids_of(hierarchy[id], id)
         self.rows[id] = { count + 1, #children }
         for place, child in ipairs(children) do
            if parents[child] then
               check.fail('SoftMaxTree', 'hierarchy must be a tree (got two parents of node %d)', child)
            end
            parents[child], self.place[child] = id, place
         end
         count = count + #children
      end
      if not self.rows[self.rootId] or parents[self.rootId] then
         check.fail('SoftMaxTree', 'root must be among the parents of the hierarchy (got %d)', self.rootId)
      end
      for child in pairs(parents) do self:path(child) end
      self.weight, self.gradWeight = torch.Tensor(count, inputSize), torch.zeros(count, inputSize)
      self.bias, self.gradBias = torch.Tensor(count), torch.zeros(count)
      self.gradInput = { torch.Tensor(), torch.Tensor() }
      self:reset()
   end

   function Tree:reset(stdv)
      draw_parameters(nn, self, stdv, self.inputSize)
      return self
   end

   -- The nodes from a child of the root to `id`, backwards. Raises for nodes that the root does not lead to.
   function Tree:path(id)
      local list, node = {}, id
      while node ~= self.rootId do
         table.insert(list, node)
         node = self.parents[node]
         if not node or #list > 10000 then
            check.fail('SoftMaxTree', 'class must be below the root %d (got %s)', self.rootId, tostring(id))
         end
      end
      if #list == 0 then check.fail('SoftMaxTree', 'target must be a class (got the root %d)', id) end
      return list
   end

   -- Calls visit(row of the batch, first row of the weight, their number, index of the child) along all paths.
   local function along(self, x, target, visit)
      for i = 1, x:size(1) do
         for _, node in ipairs(self:path(target[i])) do
            local rows = self.rows[self.parents[node]]
            visit(i, rows[1], rows[2], self.place[node])
         end
      end
   end

   function Tree:updateOutput(input)
      local x, target = batch_and_classes(self, input, self.inputSize)
      self.output:resize(x:size(1)):zero()
      self._chances = {}
      along(self, x, target, function(i, first, count, place)
         local scores = torch.mv(self.weight:narrow(1, first, count), x[i]):add(self.bias:narrow(1, first, count))
         scores:add(-scores:max())
         local chances = torch.exp(scores)
         local sum = chances:sum()
         self.output[i] = self.output[i] + scores[place] - math.log(sum)
         table.insert(self._chances, chances:div(sum))
      end)
      return self.output
   end

   -- Gradients of scores at each node of the paths: visit(row, first, count, gradient).
   local function gradients(self, input, gradOutput, visit)
      local x, target = batch_and_classes(self, input, self.inputSize)
      check.tensor(self, 'gradOutput', gradOutput)
      if gradOutput:nElement() ~= x:size(1) or not next(self._chances or {}) then
         check.fail(self, 'forward before, and gradOutput must have %d elements (got %s)', x:size(1),
            check.describe(gradOutput))
      end
      gradOutput = gradOutput:contiguous():view(-1)
      local at = 0
      along(self, x, target, function(i, first, count, place)
         at = at + 1
         local chances = self._chances[at]
         if not chances or chances:size(1) ~= count then
            check.fail(self, 'backward called before forward on this input')
         end
         local gradient = torch.mul(chances, -gradOutput[i])
         gradient[place] = gradient[place] + gradOutput[i]
         visit(x[i], i, first, count, gradient)
      end)
   end

   function Tree:updateGradInput(input, gradOutput)
      local x, target = batch_and_classes(self, input, self.inputSize)
      local gradInput = x.new(x:size()):zero()
      gradients(self, input, gradOutput, function(_, i, first, count, gradient)
         gradInput[i]:addmv(self.weight:narrow(1, first, count):t(), gradient)
      end)
      self.gradInput = { gradInput, target.new():resizeAs(target):zero() }
      return self.gradInput
   end

   function Tree:accGradParameters(input, gradOutput, scale)
      scale = scale or 1
      gradients(self, input, gradOutput, function(x, _, first, count, gradient)
         self.gradWeight:narrow(1, first, count):addr(scale, gradient, x)
         self.gradBias:narrow(1, first, count):add(scale, gradient)
      end)
   end

   -- The parameters of a node and their gradients: { weight, bias }, children x inputs and children.
   function Tree:getNodeParameters(parentId)
      local rows = self.rows[parentId]
      if not rows then check.refuse(self, 'node', 'the id of a node with children', parentId) end
      local function part(t) return t:narrow(1, rows[1], rows[2]) end
      return { part(self.weight), part(self.bias) }, { part(self.gradWeight), part(self.gradBias) }
   end

   -- Bounds the norm of the weights of each child.
   function Tree:maxNorm(most)
      if check.number(self, 'norm', most) <= 0 then check.refuse(self, 'norm', 'a number above 0', most) end
      self.weight:renorm(2, 1, most)
   end

   -- Moving sums of the gradients, zeros at first; updateGradParameters of dpnn adds to them.
   function Tree:momentumGradParameters()
      if self.accUpdate then check.fail(self, 'momentum needs gradients (got a tree with accUpdate)') end
      self.momGradParams = self.momGradParams or
         { self.gradWeight:clone():zero(), self.gradBias:clone():zero() }
      return self.momGradParams
   end

   function Tree:clearState()
      self.gradInput, self._chances = { self.weight.new(), self.weight.new() }, nil
      self.output:set()
      return self
   end

   function Tree:__tostring__()
      return ('nn.SoftMaxTree(%d -> %d)'):format(self.inputSize, self.weight:size(1))
   end
end

-- nn.SoftMaxTree: the logarithms of probabilities of classes at the leaves of a tree: of { input, classes }, each is a
-- product over the path from the root of a softmax over the children.

local _G = _G
local torch = require 'torch'
local check = require 'torch.base.check'
local batch_and_classes = require('nn.checks.expect').batch_and_classes

-- The ids of children, from a tensor or a table, as an IntTensor.
local function ids_of(children, id)
   if type(children) == 'table' then children = torch.IntTensor(children) end
   if not torch.isTensor(children) or children:dim() ~= 1 then
      check.fail('SoftMaxTree', 'children of node %s must be a tensor of one dimension (got %s)', tostring(id),
         check.describe(children))
   end
   if id < 1 or id % 1 ~= 0 or children:min() < 1 then
      check.fail('SoftMaxTree', 'ids of nodes must be from 1 (got %s)', tostring(id < 1 and id or children:min()))
   end
   return children:int()
end

-- exp(-x) of x from 0 on, in place: the eighth power of a polynomial, 0 from 13 on, as the original has it; four digits
-- are right.
local function exp_minus(x)
   local far = x:ge(13)
   local y = torch.mul(x, 1.0172526e-5):add(0.00032552083):cmul(x):add(0.0078125):cmul(x):add(0.125):cmul(x):add(1)
   return y:pow(-8):maskedFill(far, 0)
end

-- Fields that do not change type with the parameters.
local TABLES = { 'parentChildren', 'childParent', 'childIds', 'parentIds', '_gradTarget' }

return function(Tree, parent)

   -- Fills childIds, parentIds, and by id: parentChildren, the first row and the number of the children, and
   -- childParent, the parent and the index among its children.
   local function index(self, hierarchy)
      local parents, children, count, largest, max_family = {}, {}, 0, 0, 0
      for id, list in pairs(hierarchy) do
         list = ids_of(list, id)
         table.insert(parents, id)
         children[id] = list
         count, largest = count + list:size(1), math.max(largest, list:max())
         max_family = math.max(max_family, list:size(1))
      end
      if #parents == 0 then check.argument_error('SoftMaxTree', 'hierarchy', 'a table of nodes', hierarchy) end
      self.nChildNode, self.nParentNode, self.maxChildId, self.maxFamily = count, #parents, largest, max_family
      self.parentIds, self.childIds = torch.IntTensor(parents), torch.IntTensor(count)
      self.maxParentId = self.parentIds:max()
      self.maxNodeId = math.max(self.maxParentId, largest)
      self.parentChildren = torch.IntTensor(self.maxParentId, 2):fill(-1)
      self.childParent = torch.IntTensor(largest, 2):fill(-1)
      self.minNodeId = self.parentIds:min()
      local first = 1
      for _, id in ipairs(parents) do
         local list = children[id]
         self.parentChildren[id][1], self.parentChildren[id][2] = first, list:size(1)
         self.childIds:narrow(1, first, list:size(1)):copy(list)
         self.minNodeId = math.min(self.minNodeId, list:min())
         for place = 1, list:size(1) do
            local node = self.childParent[list[place]]
            if node[1] ~= -1 then
               check.fail('SoftMaxTree', 'hierarchy must be a tree (got two parents of node %d)', list[place])
            end
            node[1], node[2] = id, place
         end
         first = first + list:size(1)
      end
   end

   -- The most children along a path to the root, and the most nodes: Torch7's methods read them, and the buffers.
   local function measure_paths(self)
      self.maxFamilyPath, self.maxDept = 0, 0
      for i = 1, self.nParentNode do
         local node, children, depth = self.parentIds[i], 0, 0
         repeat
            children, depth = children + self.parentChildren[node][2], depth + 1
            node = node ~= self.rootId and node <= self.maxChildId and self.childParent[node][1] or -1
         until node == -1 or depth > self.nParentNode
         self.maxFamilyPath, self.maxDept = math.max(self.maxFamilyPath, children), math.max(self.maxDept, depth)
      end
      self._nodeBuffer, self._multiBuffer = torch.Tensor(), torch.Tensor()
   end

   -- `hierarchy[id]` are the children of a node. With accUpdate there are no gradients of parameters. `static` has
   -- parameters() give them with keys of their own.
   function Tree:__init(inputSize, hierarchy, rootId, accUpdate, static, verbose)
      parent.__init(self)
      check.integer('SoftMaxTree', 'inputSize', inputSize, 1, 2 ^ 53)
      check.kind('SoftMaxTree', 'hierarchy', hierarchy, 'table')
      self.inputSize, self.rootId, self.accUpdate = inputSize, rootId or 1, accUpdate
      index(self, hierarchy)
      if self.rootId > self.maxParentId or self.parentChildren[self.rootId][1] == -1 then
         check.fail('SoftMaxTree', 'root must be among the parents of the hierarchy (got %d)', self.rootId)
      end
      if verbose then
         _G.print(string.format('Hierachy has :\n%d parent nodes\n%d child nodes\n%d leaf nodes\n'
            .. 'node index will contain %d slots', self.nParentNode, self.nChildNode,
            self.nChildNode - self.nParentNode, self.maxNodeId))
      end
      measure_paths(self)
      local count = self.nChildNode
      self.weight, self.bias = torch.Tensor(count, inputSize), torch.Tensor(count)
      if not accUpdate then self.gradWeight, self.gradBias = torch.zeros(count, inputSize), torch.zeros(count) end
      self.updates, self.batchSize, self.static = {}, 0, static == nil or static
      self._gradInput, self._gradTarget = torch.Tensor(), torch.IntTensor()
      self.gradInput = { self._gradInput, self._gradTarget }
      self:reset()
   end

   function Tree:reset(stdv)
      stdv = stdv and stdv * math.sqrt(3) or 1 / math.sqrt(self.nChildNode * self.inputSize)
      self.weight:uniform(-stdv, stdv)
      self.bias:uniform(-stdv, stdv)
   end

   -- A field with the rows of nodes, which a program may have replaced.
   local function rows_of(self, name)
      local rows = check.dimensions(self, name, self[name], 2, 2)
      if rows:size(2) < 2 then check.argument_error(self, name, 'a matrix of 2 columns', rows) end
      return rows
   end

   -- visit(first row, count, place of the child, id of the parent) from a class up to the root.
   local function visit_ancestors(self, node, visit)
      local children, parents = rows_of(self, 'parentChildren'), rows_of(self, 'childParent')
      local root, ids = self.rootId, parents:size(1)
      for _ = 1, ids do
         local above = node >= 1 and node <= ids and parents[node][1] or -1
         if above == -1 then
            check.fail('SoftMaxTree', 'class must be below the root %d (got %s)', root, tostring(node))
         end
         visit(children[above][1], children[above][2], parents[node][2], above)
         node = above
         if node == root then return end
      end
      check.fail('SoftMaxTree', 'childParent must be a tree without circles')
   end

   function Tree:updateOutput(input)
      local x, target = batch_and_classes(self, input, self.inputSize)
      -- Of the type of the classes, so that gradients of several trees can be added.
      if self._gradTarget:type() ~= target:type() then
         self._gradTarget = target.new()
         self.gradInput[2] = self._gradTarget
      end
      self._gradTarget:resize(target:size()):zero()
      self.output:resize(x:size(1))
      self._chances = {}
      for i = 1, x:size(1) do
         local sum = 0
         visit_ancestors(self, target[i], function(first, count, place)
            local scores = torch.mv(self.weight:narrow(1, first, count), x[i]):add(self.bias:narrow(1, first, count))
            local largest = scores:max()
            scores:add(-largest - math.log(exp_minus(torch.csub(scores, largest):mul(-1)):sum()))
            sum = sum + scores[place]
            table.insert(self._chances, scores:exp())
         end)
         self.output[i] = sum
      end
      return self.output
   end

   -- Gradients of scores at each node of the paths: visit(row of the input, index, first, count, gradient, node).
   local function gradients(self, input, gradOutput, visit)
      local x, target = batch_and_classes(self, input, self.inputSize)
      check.tensor(self, 'gradOutput', gradOutput)
      if gradOutput:nElement() ~= x:size(1) or not next(self._chances or {}) then
         check.fail(self, 'forward before, and gradOutput must have %d elements (got %s)', x:size(1),
            check.describe(gradOutput))
      end
      local at = 0
      gradOutput = gradOutput:contiguous():view(-1)
      for i = 1, x:size(1) do
         visit_ancestors(self, target[i], function(first, count, place, node)
            at = at + 1
            local chances = self._chances[at]
            if not chances or chances:size(1) ~= count then
               check.fail(self, 'backward called before forward on this input')
            end
            local gradient = torch.mul(chances, -gradOutput[i])
            gradient[place] = gradient[place] + gradOutput[i]
            visit(x[i], i, first, count, gradient, node)
         end)
      end
   end

   function Tree:updateGradInput(input, gradOutput)
      if not self.gradInput then return nil end
      self._gradInput:resizeAs((batch_and_classes(self, input, self.inputSize))):zero()
      gradients(self, input, gradOutput, function(_, i, first, count, gradient)
         self._gradInput[i]:addmv(self.weight:narrow(1, first, count):t(), gradient)
      end)
      return self.gradInput
   end

   -- `updates` has the sums of the scales by node.
   function Tree:accGradParameters(input, gradOutput, scale)
      scale = scale or 1
      gradients(self, input, gradOutput, function(x, _, first, count, gradient, node)
         self.gradWeight:narrow(1, first, count):addr(scale, gradient, x)
         self.gradBias:narrow(1, first, count):add(scale, gradient)
         self.updates[node] = (self.updates[node] or 0) + scale
      end)
   end

   -- The parts of two tensors that belong to a node.
   local function parts(self, id, weight, bias)
      local first, count = self.parentChildren[id][1], self.parentChildren[id][2]
      return weight:narrow(1, first, count), bias:narrow(1, first, count)
   end

   -- Puts the parts of a node into a list, or, if static, under keys that do not change: the id, and maxParentId more.
   local function put(self, list, id, weight, bias, static)
      local w, b = parts(self, id, weight, bias)
      if static then
         list[id], list[id + self.maxParentId] = w, b
      else
         table.insert(list, w)
         table.insert(list, b)
      end
   end

   -- Parameters of the nodes that have gradients, of all where there are none.
   function Tree:parameters()
      local ids = {}
      for id in pairs(self.updates) do table.insert(ids, id) end
      if #ids == 0 and not self.static then return { self.weight, self.bias }, { self.gradWeight, self.gradBias } end
      local params, grads = {}, {}
      for _, id in ipairs(#ids > 0 and ids or self.parentIds:totable()) do
         put(self, params, id, self.weight, self.bias, self.static)
         if not self.accUpdate then put(self, grads, id, self.gradWeight, self.gradBias, self.static) end
      end
      return params, grads, {}, self.nChildNode * 2
   end

   function Tree:updateParameters(learningRate)
      if self.accUpdate then check.fail(self, 'updateParameters needs gradients (got a tree with accUpdate)') end
      local params, grads = self:parameters()
      for key, parameter in pairs(params) do parameter:add(-learningRate, grads[key]) end
   end

   function Tree:zeroGradParameters()
      local _, grads = self:parameters()
      for _, gradient in pairs(grads) do gradient:zero() end
      for key in pairs(self.updates) do self.updates[key] = nil end
   end

   -- The parameters of a node and their gradients: { weight, bias }, children x inputs and children.
   function Tree:getNodeParameters(parentId)
      if type(parentId) ~= 'number' or parentId < 1 or parentId > self.maxParentId
         or self.parentChildren[parentId][1] == -1 then
         check.argument_error(self, 'node', 'the id of a node with children', parentId)
      end
      local own = { parts(self, parentId, self.weight, self.bias) }
      if self.accUpdate then return own end
      return own, { parts(self, parentId, self.gradWeight, self.gradBias) }
   end

   -- Bounds the norm of the weights of each child.
   function Tree:maxNorm(max_family)
      for _, parameter in pairs((self:parameters())) do
         if parameter:dim() == 2 and max_family then parameter:renorm(2, 1, max_family) end
      end
   end

   -- Moving sums of the gradients, zeros at first; updateGradParameters of dpnn adds to them.
   function Tree:momentumGradParameters()
      if not self.momGradParams or not next(self.momGradParams) then
         if self.accUpdate then check.fail(self, 'momentum needs gradients (got a tree with accUpdate)') end
         self.momGradParams = { self.gradWeight:clone():zero(), self.gradBias:clone():zero() }
      end
      if not self.static or not next(self.updates) then return self.momGradParams end
      local own = {}
      for id in pairs(self.updates) do
         put(self, own, id, self.momGradParams[1], self.momGradParams[2], true)
      end
      return own
   end

   function Tree:type(name, cache)
      if not name or name == self.weight:type() then return name and self or parent.type(self) end
      local kept = {}
      for _, key in ipairs(TABLES) do kept[key], self[key] = self[key], nil end
      parent.type(self, name, cache)
      for key, value in pairs(kept) do self[key] = value end
      self.gradInput, self.batchSize = { self._gradInput, self._gradTarget }, 0
      return self
   end

   function Tree:clearState()
      self._chances = nil
      self._gradInput:set()
      self._gradTarget:set()
      self.gradInput = { self._gradInput, self._gradTarget }
      self.output:set()
      return self
   end

   Tree.sharedAccUpdateGradParameters = Tree.accUpdateGradParameters
end

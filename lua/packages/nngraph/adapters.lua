-- Modules that graphs need besides those of nn: a table around one value and back, and a criterion as a module.

local torch = require 'torch'
local errors, nn = require 'torch.base.errors', require 'nn'
local expect = require 'nn.checks.expect'

return function(nngraph)
   local JustTable, parent = torch.class('nngraph.JustTable', 'nn.Module', nngraph)

   function JustTable:__init()
      parent.__init(self)
      self.output, self.gradInput = {}, nil
   end

   function JustTable:updateOutput(input)
      self.output = { input }
      return self.output
   end

   function JustTable:updateGradInput(_, gradOutput)
      self.gradInput = expect.table(self, gradOutput, 'gradOutput')[1]
      return self.gradInput
   end

   local JustElement = torch.class('nngraph.JustElement', 'nn.Module', nngraph)

   function JustElement:__init()
      parent.__init(self)
      self.output, self.gradInput = nil, {}
   end

   function JustElement:updateOutput(input)
      self.output = expect.table(self, input)[1]
      return self.output
   end

   function JustElement:updateGradInput(_, gradOutput)
      self.gradInput = { gradOutput }
      return self.gradInput
   end

   -- The loss of { input, target } as a tensor of one element. Targets have gradients of 0.
   local ModuleFromCriterion = torch.class('nn.ModuleFromCriterion', 'nn.Module', nn)

   function ModuleFromCriterion:__init(criterion)
      parent.__init(self)
      if not torch.isTypeOf(criterion, 'nn.Criterion') then
         errors.argument_error('ModuleFromCriterion', 1, 'an nn.Criterion', criterion)
      end
      self.criterion = criterion
      self.output = torch.Tensor(1)
      self.gradInput = { torch.Tensor(), torch.Tensor() }
   end

   function ModuleFromCriterion:updateOutput(input)
      expect.table(self, input)
      self.output:resize(1)
      self.output[1] = self.criterion:updateOutput(input[1], input[2])
      return self.output
   end

   function ModuleFromCriterion:updateGradInput(input, gradOutput)
      expect.tensor(self, gradOutput, 'gradOutput')
      local utils = nn.utils
      local scale = gradOutput:nElement() > 0 and gradOutput:contiguous():view(-1)[1] or 1
      local gradient = self.criterion:updateGradInput(input[1], input[2])
      local first, second = self.gradInput[1], self.gradInput[2]
      first = utils.recursiveCopy(first, gradient)
      if scale ~= 1 then first = utils.recursiveAdd(first, scale - 1, gradient) end
      second = utils.recursiveResizeAs(second, type(input[2]) == 'number' and torch.Tensor(1) or input[2])
      self.gradInput[1], self.gradInput[2] = first, utils.recursiveFill(second, 0)
      return self.gradInput
   end

   function ModuleFromCriterion:type(name, cache)
      if name then self.criterion:type(name, cache) end
      return parent.type(self, name, cache)
   end

   -- A node whose output is nested like the table of nodes.
   function nngraph.nest(value)
      if torch.isTypeOf(value, 'nngraph.Node') then return value end
      if type(value) ~= 'table' or torch.typename(value) or #value == 0 then
         errors.argument('nest', 1, 'must be an nngraph.Node or a table of them (got %s)',
            type(value) == 'table' and 'an empty table' or errors.describe(value))
      end
      local nodes = {}
      for i, inner in ipairs(value) do nodes[i] = nngraph.nest(inner) end
      if #nodes == 1 then return nngraph.JustTable()(nodes[1]) end
      return nn.Identity()(nodes)
   end
end

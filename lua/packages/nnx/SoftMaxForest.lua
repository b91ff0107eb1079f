-- nn.SoftMaxForest: a mixture of nn.SoftMaxTree, whose logarithms of probabilities are weighed by a gater: layers of
-- `gaterSize` elements with an activation, and a softmax over the trees.

local torch = require 'torch'
local check = require 'torch.base.check'

return function(Forest, parent, nn)

   function Forest:__init(inputSize, trees, rootIds, gaterSize, gaterAct, accUpdate)
      check.kind('SoftMaxForest', 'trees', trees, 'table')
      if #trees == 0 then check.argument_error('SoftMaxForest', 'trees', 'a list of hierarchies', trees) end
      rootIds = check.kind('SoftMaxForest', 'rootIds', rootIds or {}, 'table')
      gaterSize = check.kind('SoftMaxForest', 'gaterSize', gaterSize or {}, 'table')
      gaterAct = gaterAct or nn.Tanh()
      self.inputSize, self.smts = inputSize, {}
      self.experts, self.gater = nn.ConcatTable(), nn.Sequential():add(nn.SelectTable(1))
      for i, hierarchy in ipairs(trees) do
         self.smts[i] = nn.SoftMaxTree(inputSize, hierarchy, rootIds[i], accUpdate)
         self.experts:add(self.smts[i])
      end
      local size = inputSize
      for _, hidden in ipairs(gaterSize) do
         self.gater:add(nn.Linear(size, check.size('SoftMaxForest', 'size of the gater', hidden))):add(gaterAct:clone())
         size = hidden
      end
      self.gater:add(nn.Linear(size, #trees)):add(nn.SoftMax())
      parent.__init(self, nn.Sequential():add(nn.ConcatTable():add(self.gater):add(self.experts))
         :add(nn.MixtureTable()))
   end

   -- The input is { batch, classes }: each part's requirement is checked here, before a container wraps its error.
   function Forest:updateOutput(input)
      check.kind(self, 'input', input, 'table')
      local x = check.same_type(self, 'input[1]', input[1], self.smts[1].weight)
      if x:dim() ~= 2 or x:size(2) ~= self.inputSize then
         check.argument_error(self, 'input[1]', string.format('a tensor of batch x %d', self.inputSize), x)
      end
      return parent.updateOutput(self, input)
   end

   function Forest:updateGradInput(input, gradOutput)
      if not torch.isTensor(self.output) or self.output:nElement() == 0 then
         check.fail(self, 'backward called before forward')
      end
      check.same_count(self, 'gradOutput', gradOutput, self.output)
      return parent.updateGradInput(self, input, gradOutput)
   end

   function Forest:__tostring__()
      return string.format('nn.SoftMaxForest(%d, %d trees)', self.inputSize, #self.smts)
   end
end

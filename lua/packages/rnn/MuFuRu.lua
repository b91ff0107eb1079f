-- nn.MuFuRu: the multi-function recurrent unit (Weissenborn and Rocktaeschel, 2016): like a GRU, but the new output is
-- a weighted sum of several functions of the previous output s and of new values v. The weights are softmaxes.

local torch = require 'torch'
local check = require 'torch.base.check'
local mufuru_operations = require 'rnn.mufuru_operations'

return function(MuFuRu, parent, nn)

   local ALL = { 'keep', 'replace', 'mul', 'diff', 'forget', 'sqrt_diff', 'max', 'min' }

   function MuFuRu:__init(inputSize, outputSize, ops, rho)
      self.ops = ops or ALL
      check.kind('MuFuRu', 'operations', self.ops, 'table')
      self.operations = {}
      for i, name in ipairs(self.ops) do
         local operation = type(name) == 'string' and mufuru_operations[name]
         if not operation then check.fail('MuFuRu', 'unknown operation %s', check.describe(name)) end
         self.operations[i] = operation
      end
      self.num_ops = #self.ops
      parent.__init(self, inputSize, outputSize, rho)
   end

   local function both(a, b) return nn.ConcatTable():add(a):add(b) end

   function MuFuRu:buildModel()
      local n, m, count = self.inputSize, self.outputSize, self.num_ops
      -- { input, s } -> r, in 0 to 1
      local reset = nn.Sequential():add(nn.ParallelTable():add(nn.Linear(n, m)):add(nn.Linear(m, m)))
         :add(nn.CAddTable()):add(nn.Sigmoid())
      -- { input, s, r } -> v, from input and r * s
      local forgetful = nn.Sequential():add(nn.NarrowTable(2, 2)):add(nn.CMulTable())
      local values = nn.Sequential():add(both(nn.SelectTable(1), forgetful)):add(nn.JoinTable(1, 1))
         :add(nn.Linear(n + m, m)):add(nn.Sigmoid())
      -- { input, s, r } -> batch x outputs x functions, softmaxes over the functions
      local weights = nn.Sequential():add(nn.NarrowTable(1, 2)):add(nn.JoinTable(1, 1))
         :add(nn.Linear(n + m, count * m)):add(nn.View(-1, count, m)):add(nn.Transpose { 2, 3 })
         :add(nn.Bottle(nn.SoftMax(), 2, 2)):add(nn.SplitTable(3))
      local results = nn.ConcatTable()
      for _, operation in ipairs(self.operations) do results:add(operation:clone()) end
      local candidates = nn.Sequential():add(nn.NarrowTable(1, 2)):add(results)
      return nn.Sequential()
         :add(nn.ConcatTable():add(nn.SelectTable(1)):add(nn.SelectTable(2)):add(reset))
         :add(nn.ConcatTable():add(nn.SelectTable(2)):add(values):add(weights))
         :add(both(candidates, nn.SelectTable(3))):add(nn.ZipTable())
         :add(nn.MapTable(nn.CMulTable())):add(nn.CAddTable())
   end

   function MuFuRu:__tostring__()
      return string.format('%s(%d -> %d) { %s }', torch.type(self), self.inputSize, self.outputSize,
         table.concat(self.ops, ' '))
   end

   function MuFuRu:migrate() check.fail(self, 'migrate is not defined') end
end

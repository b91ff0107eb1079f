-- nn.MuFuRu: the multi-function recurrent unit (Weissenborn and Rocktaeschel, 2016): like a GRU, but the new output is
-- a weighted sum of several functions of the output before, s, and of new values v. The weights are softmaxes.

local check = require 'torch.base.check'
local mufuru_operations = require 'rnn.mufuru_operations'

return function(MuFuRu, parent, nn)

   local ALL = { 'keep', 'replace', 'mul', 'diff', 'forget', 'sqrt_diff', 'max', 'min' }

   function MuFuRu:__init(inputSize, outputSize, ops, rho)
      self.ops = ops or ALL
      check.kind('MuFuRu', 'operations', self.ops, 'table')
      for _, name in ipairs(self.ops) do
         if type(name) ~= 'string' or not mufuru_operations[name] then
            check.fail('MuFuRu', 'unknown operation %s', check.describe(name))
         end
      end
      self.num_ops = #self.ops
      parent.__init(self, inputSize, outputSize, rho)
   end

   local function both(a, b) return nn.ConcatTable():add(a):add(b) end

   function MuFuRu:buildModel()
      local n, m = self.inputSize, self.outputSize
      -- { input, s } -> r, in 0 to 1
      local reset = nn.Sequential():add(nn.ParallelTable():add(nn.Linear(n, m)):add(nn.LinearNoBias(m, m)))
         :add(nn.CAddTable()):add(nn.Sigmoid())
      local begin = nn.Sequential():add(both(nn.Identity(), reset)):add(nn.FlattenTable())      -- input, s, r
      -- { input, r * s } joined, from which values and weights are computed
      local forgetful = nn.Sequential():add(nn.NarrowTable(2, 2)):add(nn.CMulTable())
      local joined = nn.Sequential():add(both(nn.SelectTable(1), forgetful)):add(nn.JoinTable(1, 1))
      local values = nn.Sequential():add(nn.Linear(n + m, m)):add(nn.Sigmoid())
      local weights = nn.Sequential():add(nn.Linear(n + m, self.num_ops * m)):add(nn.View(-1, self.num_ops, m))
         :add(nn.Transpose { 2, 3 }):add(nn.Bottle(nn.SoftMax(), 2, 2)):add(nn.SplitTable(3))
      local results = nn.ConcatTable()
      for _, name in ipairs(self.ops) do results:add(mufuru_operations[name]:clone()) end
      local new = nn.Sequential():add(nn.SelectTable(2)):add(values)
      local candidates = nn.Sequential():add(both(nn.SelectTable(1), new)):add(results)
      local weighing = nn.Sequential():add(nn.SelectTable(2)):add(weights)
      return begin:add(both(nn.SelectTable(2), joined)):add(both(candidates, weighing)):add(nn.ZipTable())
         :add(nn.MapTable(nn.CMulTable())):add(nn.CAddTable())
   end
end

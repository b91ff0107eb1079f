-- nn.ParallelTable: a module for each part of a table.

local branches, expect = require 'nn.containers.branches', require 'nn.expect'

return function(ParallelTable, parent)

   function ParallelTable:__init()
      parent.__init(self)
      self.modules, self.output, self.gradInput = {}, {}, {}
   end

   function ParallelTable:updateOutput(input)
      expect.table(self, input)
      local modules, output = self.modules, self.output
      for i = 1, #modules do output[i] = self:rethrowErrors(modules[i], i, 'updateOutput', input[i]) end
      for i = #modules + 1, #output do output[i] = nil end
      return output
   end

   local function each(self, name, input, gradOutput, scale)
      expect.table(self, input)
      expect.table(self, gradOutput, 'gradOutput')
      for i = 1, #self.modules do
         self:rethrowErrors(self.modules[i], i, name, input[i], gradOutput[i], scale)
      end
   end

   function ParallelTable:updateGradInput(input, gradOutput)
      expect.table(self, input)
      expect.table(self, gradOutput, 'gradOutput')
      local modules, gradInput = self.modules, self.gradInput
      for i = 1, #modules do
         gradInput[i] = self:rethrowErrors(modules[i], i, 'updateGradInput', input[i], gradOutput[i])
      end
      for i = #modules + 1, #gradInput do gradInput[i] = nil end
      return gradInput
   end

   function ParallelTable:accGradParameters(input, gradOutput, scale)
      each(self, 'accGradParameters', input, gradOutput, scale or 1)
   end

   function ParallelTable:accUpdateGradParameters(input, gradOutput, lr)
      each(self, 'accUpdateGradParameters', input, gradOutput, lr)
   end

   ParallelTable.__tostring__ = branches.tostring
end

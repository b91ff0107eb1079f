-- nn.ParallelTable: a module for each part of a table, or for each row of a tensor.

local branches, expect = require 'nn.containers.branches', require 'nn.checks.expect'

return function(ParallelTable, parent)

   function ParallelTable:__init()
      parent.__init(self)
      self.modules, self.output, self.gradInput = {}, {}, {}
   end

   function ParallelTable:updateOutput(input)
      expect.parts(self, input)
      local modules, output = self.modules, self.output
      for i = 1, #modules do output[i] = self:rethrowErrors(modules[i], i, 'updateOutput', input[i]) end
      for i = #modules + 1, #output do output[i] = nil end
      return output
   end

   local function each(self, name, input, gradOutput, factor, with_grad_input)
      expect.parts(self, input)
      expect.table(self, gradOutput, 'gradOutput')
      local modules, gradInput = self.modules, self.gradInput
      for i = 1, #modules do
         local gradient = branches.call(self, modules[i], i, name, input[i], gradOutput[i], factor)
         if with_grad_input then gradInput[i] = gradient end
      end
      for i = #modules + 1, with_grad_input and #gradInput or 0 do gradInput[i] = nil end
      return gradInput
   end
   branches.backward_methods(ParallelTable, each)

   ParallelTable.__tostring__ = branches.tostring
end

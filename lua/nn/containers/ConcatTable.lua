-- nn.ConcatTable: the outputs of several modules for one input, as a table.

local branches, expect = require 'nn.containers.branches', require 'nn.checks.expect'
local accumulate = branches.accumulate

return function(ConcatTable, parent)

   function ConcatTable:__init()
      parent.__init(self)
      self.modules, self.output = {}, {}
   end

   function ConcatTable:updateOutput(input)
      local modules, output = self.modules, self.output
      for i = 1, #modules do output[i] = self:rethrowErrors(modules[i], i, 'updateOutput', input) end
      for i = #modules + 1, #output do output[i] = nil end
      return output
   end

   local function each(self, name, input, gradOutput, factor, with_grad_input)
      expect.table(self, gradOutput, 'gradOutput')
      local modules, sum, first = self.modules, self.gradInput, true
      for i = 1, #modules do
         local gradient = self:rethrowErrors(modules[i], i, name, input, gradOutput[i], factor)
         if with_grad_input and gradient ~= nil then
            sum, first = accumulate(sum, gradient, first), false
         end
      end
      if with_grad_input then self.gradInput = sum end
      return self.gradInput
   end
   branches.backward_methods(ConcatTable, each, true)

   ConcatTable.__tostring__ = branches.tostring
end

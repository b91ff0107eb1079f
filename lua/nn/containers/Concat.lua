-- nn.Concat: the outputs of several modules for one input, joined along a dimension.

local torch = require 'torch'
local branches, expect = require 'nn.containers.branches', require 'nn.checks.expect'
local accumulate = branches.accumulate

return function(Concat)

   function Concat:__init()
      self.outputSize = torch.LongStorage()
   end

   function Concat:updateOutput(input)
      local dimension, outputs, length = self.dimension, {}, 0
      for i = 1, #self.modules do length = length + branches.append(self, outputs, i, input, dimension) end
      if #outputs == 0 then return self.output end
      self.outputSize = branches.join(self.output, outputs, dimension, length)
      return self.output
   end

   local function check_gradient(self, gradOutput)
      expect.own(self, gradOutput, 'gradOutput')
      if not torch.isTensor(self.output) or self.output:dim() == 0 then
         expect.fail(self, 'backward called before forward')
      end
      if not gradOutput:isSameSizeAs(self.output) then
         expect.fail(self, 'gradOutput must be of size %s, as the output (got %s)', expect.shape(self.output),
            expect.describe(gradOutput))
      end
   end

   -- The part of gradOutput for a module, which begins at `offset` of the dimension.
   function Concat:_part(gradOutput, output, offset)
      return branches.shaped(gradOutput:narrow(self.dimension, offset, output:size(self.dimension)), output)
   end

   -- All methods get a factor.
   function Concat:_call(module, i, name, input, part, factor)
      return self:rethrowErrors(module, i, name, input, part, factor or 1)
   end

   -- Sums the gradInputs where there are some.
   local function each(self, name, input, gradOutput, factor, with_grad_input)
      check_gradient(self, gradOutput)
      local modules, offset, sum, first = self.modules, 1, self.gradInput, true
      for i = 1, #modules do
         local module = modules[i]
         local part = self:_part(gradOutput, module.output, offset)
         local gradient = self:_call(module, i, name, input, part, factor)
         if with_grad_input and gradient ~= nil then
            sum, first = accumulate(sum, gradient, first), false
         end
         offset = offset + module.output:size(self.dimension)
      end
      if with_grad_input then self.gradInput = sum end
      return self.gradInput
   end
   branches.backward_methods(Concat, each, true)

   Concat.__tostring__ = branches.tostring
end

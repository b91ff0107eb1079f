-- nn.Parallel: a module for each slice of a dimension of the input; outputs joined along another one.

local torch = require 'torch'
local branches, expect = require 'nn.containers.branches', require 'nn.checks.expect'

return function(Parallel)

   function Parallel:__init()
      self.totalOutputSize = torch.LongStorage()
   end

   -- The number of slices; modules beyond it take no part.
   local function slices(self, input)
      expect.tensor(self, input)
      local d = expect.integer(self, 'inputDimension', self.inputDimension, 1)
      expect.integer(self, 'outputDimension', self.outputDimension, 1)
      if d > input:dim() or input:size(d) > #self.modules then
         expect.fail(self, 'input must have a size of at most %d, the number of modules, in dimension %d (got %s)',
            #self.modules, d, expect.describe(input))
      end
      return input:size(d)
   end

   function Parallel:updateOutput(input)
      local outputs, length = {}, 0
      for i = 1, slices(self, input) do
         local slice = input:select(self.inputDimension, i)
         length = length + branches.append(self, outputs, i, slice, self.outputDimension)
      end
      if #outputs == 0 then return self.output end
      self.totalOutputSize = branches.join(self.output, outputs, self.outputDimension, length)
      return self.output
   end

   local function each(self, name, input, gradOutput, factor, with_grad_input)
      local count = slices(self, input)
      expect.tensor(self, gradOutput, 'gradOutput')
      if not gradOutput:isSameSizeAs(self.output) then
         expect.fail(self, 'gradOutput must be of size %s, as the output (got %s)', expect.shape(self.output),
            expect.describe(gradOutput))
      end
      if with_grad_input then self.gradInput:resizeAs(input) end
      local offset = 1
      for i = 1, count do
         local module = self.modules[i]
         local size = module.output:size(self.outputDimension)
         local part = branches.shaped(gradOutput:narrow(self.outputDimension, offset, size), module.output)
         local gradient = branches.call(self, module, i, name, input:select(self.inputDimension, i), part, factor)
         if with_grad_input then self.gradInput:select(self.inputDimension, i):copy(gradient) end
         offset = offset + size
      end
      return self.gradInput
   end
   branches.backward_methods(Parallel, each)

   Parallel.__tostring__ = branches.tostring
end

-- nn.Replicate: repeats the input along a new dimension, without a copy.

local torch = require 'torch'
local expect = require 'nn.checks.expect'

return function(Replicate)

   function Replicate:__init()
      if not (self.dim > 0) then expect.argument_error(self, 'dimension', 'at least 1', self.dim) end
   end

   -- The number of the new dimension.
   local function new_dimension(self, input)
      expect.own(self, input)
      local dims = input:dim()
      local batches = self.ndim and dims > self.ndim and 1 or 0
      local at = self.dim + batches
      if self.dim > dims + 1 or at > dims + 1 then
         expect.fail(self, 'input must have at least %d dimensions (got %s)', self.dim - 1, expect.describe(input))
      end
      return at
   end

   function Replicate:updateOutput(input)
      local at = new_dimension(self, input)
      local sizes, strides = torch.LongStorage(input:dim() + 1), torch.LongStorage(input:dim() + 1)
      for d = 1, input:dim() + 1 do
         local from = d < at and d or d - 1
         sizes[d] = d == at and self.nfeatures or input:size(from)
         strides[d] = d == at and 0 or input:stride(from)
      end
      self.output:set(input:storage(), input:storageOffset(), sizes, strides)
      return self.output
   end

   function Replicate:updateGradInput(input, gradOutput)
      local at = new_dimension(self, input)
      expect.own(self, gradOutput, 'gradOutput')
      if gradOutput:nElement() ~= input:nElement() * self.nfeatures or gradOutput:dim() ~= input:dim() + 1 then
         expect.fail(self, 'gradOutput must have the sizes of the output (got %s)', expect.describe(gradOutput))
      end
      self.gradInput:sum(gradOutput, at)
      self.gradInput:resizeAs(input)
      return self.gradInput
   end
end

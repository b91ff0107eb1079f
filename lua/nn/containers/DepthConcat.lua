-- nn.DepthConcat: Concat of outputs of unlike sizes, each centred among zeros.

local branches, expect = require 'nn.containers.branches', require 'nn.expect'
local accumulate = branches.accumulate

return function(DepthConcat)

   -- The part of `output` for the output of one module, which begins at `offset` of the dimension.
   function DepthConcat:windowNarrow(output, currentOutput, offset)
      local window = output:narrow(self.dimension, offset, currentOutput:size(self.dimension))
      for d = 1, output:dim() do
         local size = currentOutput:size(d)
         if d ~= self.dimension and output:size(d) ~= size then
            window = window:narrow(d, math.floor((output:size(d) - size) / 2) + 1, size)
         end
      end
      return window
   end

   function DepthConcat:updateOutput(input)
      local modules, outputs, sizes, length = self.modules, {}, nil, 0
      for i = 1, #modules do
         local output = self:rethrowErrors(modules[i], i, 'updateOutput', input)
         expect.tensor(self, output, 'the output of each module')
         sizes = sizes or output:size()
         if #sizes ~= output:dim() or self.dimension > output:dim() then
            expect.fail(self, 'outputs must have %d dimensions (got %s)', #sizes, expect.describe(output))
         end
         for d = 1, output:dim() do sizes[d] = math.max(sizes[d], output:size(d)) end
         length = length + output:size(self.dimension)
         outputs[i] = output
      end
      if #outputs == 0 then return self.output end
      sizes[self.dimension] = length
      self.outputSize = sizes
      self.output:resize(sizes):zero()
      local offset = 1
      for i = 1, #outputs do
         self:windowNarrow(self.output, outputs[i], offset):copy(outputs[i])
         offset = offset + outputs[i]:size(self.dimension)
      end
      return self.output
   end

   local function each(self, name, input, gradOutput, scale, summing)
      expect.tensor(self, gradOutput, 'gradOutput')
      if not gradOutput:isSameSizeAs(self.output) then
         expect.fail(self, 'gradOutput must be of size %s, as the output (got %s)', expect.shape(self.output),
            expect.describe(gradOutput))
      end
      local offset, sum, first = 1, self.gradInput, true
      for i = 1, #self.modules do
         local module = self.modules[i]
         local part = self:windowNarrow(gradOutput, module.output, offset)
         local gradient = self:rethrowErrors(module, i, name, input, part, scale)
         if summing and gradient ~= nil then
            sum, first = accumulate(sum, gradient, first), false
         end
         offset = offset + module.output:size(self.dimension)
      end
      if summing then self.gradInput = sum end
      return self.gradInput
   end

   function DepthConcat:updateGradInput(input, gradOutput)
      return each(self, 'updateGradInput', input, gradOutput, nil, true)
   end

   function DepthConcat:accGradParameters(input, gradOutput, scale)
      each(self, 'accGradParameters', input, gradOutput, scale or 1)
   end

   function DepthConcat:backward(input, gradOutput, scale)
      return each(self, 'backward', input, gradOutput, scale or 1, true)
   end

   function DepthConcat:accUpdateGradParameters(input, gradOutput, lr)
      each(self, 'accUpdateGradParameters', input, gradOutput, lr)
   end
end

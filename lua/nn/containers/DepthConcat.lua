-- nn.DepthConcat: Concat of outputs of unlike sizes, each centred among zeros.

local expect = require 'nn.checks.expect'

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

   -- Gradients get no factor, as in the original, whose backward counts parameters' gradients once.
   function DepthConcat:_call(module, i, name, input, part, factor)
      if name == 'updateGradInput' or name == 'backward' then
         return self:rethrowErrors(module, i, name, input, part)
      end
      return self:rethrowErrors(module, i, name, input, part, factor)
   end

   function DepthConcat:_part(gradOutput, output, offset) return self:windowNarrow(gradOutput, output, offset) end
end

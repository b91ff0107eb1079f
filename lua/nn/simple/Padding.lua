-- nn.Padding: extends a dimension by `pad` elements of a value: at the end, or in front where `pad` is negative.

local torch, expect = require 'torch', require 'nn.checks.expect'

return function(Padding)

   -- `index` counts, from the side that is padded, the entry before which the new ones come.
   function Padding:__init()
      -- For Torch7's methods, in files from here.
      self.outputSize = torch.LongStorage()
   end

   -- The dimension, its size, and how many entries come before the new ones.
   local function position_of(self, input)
      local dim = self.dim
      if self.nInputDim and input:dim() ~= self.nInputDim then dim = dim + 1 end
      if dim < 1 or dim > input:dim() then
         expect.fail(self, 'input must have a dimension %d (got %s)', dim, expect.describe(input))
      end
      local size = input:size(dim)
      local before = self.pad > 0 and size - self.index + 1 or self.index - 1
      if before < 0 or before > size then
         expect.fail(self, 'input must have a size of at least %d in dimension %d (got %s)', self.index - 1, dim,
            expect.describe(input))
      end
      return dim, size, before
   end

   -- Copies between parts of the padded tensor and the one without padding; forth, or back.
   local function move(padded, plain, back, dim, size, before, pad)
      if before > 0 then
         local a, b = padded:narrow(dim, 1, before), plain:narrow(dim, 1, before)
         if back then b:copy(a) else a:copy(b) end
      end
      if before < size then
         local a = padded:narrow(dim, before + pad + 1, size - before)
         local b = plain:narrow(dim, before + 1, size - before)
         if back then b:copy(a) else a:copy(b) end
      end
   end

   -- As in the original, elements of any type are copied.
   function Padding:updateOutput(input)
      expect.tensor(self, input)
      local dim, size, before = position_of(self, input)
      local sizes, pad = input:size(), math.abs(self.pad)
      sizes[dim] = size + pad
      self.output:resize(sizes):fill(self.value)
      move(self.output, input, false, dim, size, before, pad)
      return self.output
   end

   function Padding:updateGradInput(input, gradOutput)
      expect.own(self, input)
      local dim, size, before = position_of(self, input)
      local pad = math.abs(self.pad)
      expect.own(self, gradOutput, 'gradOutput')
      if gradOutput:dim() ~= input:dim() or gradOutput:size(dim) ~= size + pad then
         expect.fail(self, 'gradOutput must have size %d of dimension %d (got %s)', size + pad, dim,
            expect.describe(gradOutput))
      end
      self.gradInput:resizeAs(input)
      move(gradOutput, self.gradInput, true, dim, size, before, pad)
      return self.gradInput
   end
end

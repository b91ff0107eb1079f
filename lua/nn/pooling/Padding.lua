-- nn.Padding: `pad` values in front of an index of a dimension, counted from the end for a positive pad.

local abs = math.abs
local torch = require 'torch'
local check = require 'nn.check'

return function(Pad, parent)

   function Pad:__init(dim, pad, nInputDim, value, index)
      parent.__init(self)
      self.dim, self.pad, self.nInputDim, self.value, self.index = dim, pad, nInputDim, value or 0, index or 1
      self.outputSize = torch.LongStorage()
   end

   -- The dimension, and how many elements come before the padding and after it.
   local function prepare(self, x)
      check.tensor(self, x)
      local dim = self.dim
      if self.nInputDim and x:dim() ~= self.nInputDim then dim = dim + 1 end
      if dim < 1 or dim > x:dim() then
         check.fail(self, 'input with a dimension %d expected (got %s)', dim, check.describe(x))
      end
      local size = x:size(dim)
      local first = self.pad > 0 and size - self.index + 1 or self.index - 1
      if first < 0 or first > size then
         check.fail(self, 'index from 1 to %d expected (got %d)', size + 1, self.index)
      end
      return dim, first, size - first
   end

   function Pad:updateOutput(input)
      local dim, first, last = prepare(self, input)
      local size = input:size()
      size[dim] = size[dim] + abs(self.pad)
      self.outputSize = size
      local y = self.output:resize(size):fill(self.value)
      if first > 0 then y:narrow(dim, 1, first):copy(input:narrow(dim, 1, first)) end
      if last > 0 then
         y:narrow(dim, first + abs(self.pad) + 1, last):copy(input:narrow(dim, first + 1, last))
      end
      return y
   end

   function Pad:updateGradInput(input, gradOutput)
      local dim, first, last = prepare(self, input)
      local size = input:size()
      size[dim] = size[dim] + abs(self.pad)
      if not torch.isTensor(gradOutput) or not gradOutput:isSize(size) then
         check.fail(self, 'gradOutput of the size of the output expected (got %s)', check.describe(gradOutput))
      end
      local r = self.gradInput:resizeAs(input)
      if first > 0 then r:narrow(dim, 1, first):copy(gradOutput:narrow(dim, 1, first)) end
      if last > 0 then
         r:narrow(dim, first + 1, last):copy(gradOutput:narrow(dim, first + abs(self.pad) + 1, last))
      end
      return r
   end

end

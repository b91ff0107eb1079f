-- nn.View: the elements of the input in other sizes, with the batch left as it is.

local torch = require 'torch'
local dimension, expect = require 'nn.simple.dimension', require 'nn.checks.expect'

return function(View, parent)

   function View:resetSize(...)
      self.size = expect.sizes(self, ...)
      local count, inferred = 1, false
      for d = 1, #self.size do
         local n = self.size[d]
         if n >= 0 then
            count = count * n
         elseif n == -1 and not inferred then
            inferred = true
         else
            expect.fail(self, 'sizes must be positive, but for one -1 (got %d)', n)
         end
      end
      self.numElements = count
      return self
   end

   function View:__init(...)
      parent.__init(self)
      self:resetSize(...)
      self.numInputDims = nil
   end

   View.setNumInputDims = dimension.set_num_input_dims

   -- The size of the batch, nil when the input is one sample.
   local function batch_size(self, input)
      local size, dims, count = self.size, input:dim(), self.numElements
      local input_dims = self.numInputDims or dims
      local elements = 1
      for d = dims, math.max(dims - input_dims + 1, 1), -1 do elements = elements * input:size(d) end
      if count == 0 or elements % count ~= 0 then
         expect.fail(self, 'input must have %d elements, or a multiple of them (got %s)', count,
            expect.describe(input))
      end
      -- The remaining elements are the batch, or the size to be inferred.
      local batch = elements / count
      for d = 1, #size do
         if size[d] == -1 then batch = 1 end
      end
      for d = dims - input_dims, 1, -1 do batch = batch * input:size(d) end
      if batch == 1 and (not self.numInputDims or dims <= self.numInputDims) then return nil end
      return batch
   end

   function View:updateOutput(input)
      expect.tensor(self, input)
      local batch, x = batch_size(self, input), input:contiguous()
      if batch == nil then
         self.output = x:view(self.size)
         return self.output
      end
      local size = self.size
      local sizes = torch.LongStorage(#size + 1)
      sizes[1] = batch
      for d = 1, #size do sizes[d + 1] = size[d] end
      self.output = x:view(sizes)
      return self.output
   end

   function View:updateGradInput(input, gradOutput)
      expect.same_count(self, expect.tensor(self, input), expect.tensor(self, gradOutput, 'gradOutput'))
      self.gradInput = gradOutput:contiguous():view(input:size())
      return self.gradInput
   end

   function View:__tostring__()
      return string.format('%s(%s)', torch.type(self), table.concat(self.size:totable(), ', '))
   end
end

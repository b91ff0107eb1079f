-- nn.JoinTable: joins tensors along a dimension.

local torch = require 'torch'
local check = require 'nn.check'
local positive = require('nn.simple.dimension').positive

return function(JoinTable, parent)

   function JoinTable:__init(dimension, nInputDims)
      parent.__init(self)
      self.size = torch.LongStorage()
      self.dimension, self.nInputDims = dimension, nInputDims
      self.gradInput = {}
   end

   function JoinTable:_getPositiveDimension(input)
      return positive(self, check.table(self, input)[1], self.dimension, self.nInputDims)
   end

   function JoinTable:updateOutput(input)
      check.table(self, input)
      if #input == 0 then check.fail(self, 'table of at least one tensor expected (got none)') end
      local dimension = self:_getPositiveDimension(input)
      local first, length = input[1], 0
      local dims = first:dim()
      for i = 1, #input do
         local t = check.tensor(self, input[i], 'each part of the input')
         local fits = t:dim() == dims
         for d = 1, dims do
            fits = fits and (d == dimension or t:size(d) == first:size(d))
         end
         if not fits then
            check.fail(self, 'tensors of one size but for dimension %d expected (got %s and, as number %d, %s)',
               dimension, check.describe(first), i, check.describe(t))
         end
         length = length + t:size(dimension)
      end
      local sizes = first:size()
      sizes[dimension] = length
      self.size = sizes
      self.output:resize(sizes)
      local offset = 1
      for i = 1, #input do
         local size = input[i]:size(dimension)
         self.output:narrow(dimension, offset, size):copy(input[i])
         offset = offset + size
      end
      return self.output
   end

   function JoinTable:updateGradInput(input, gradOutput)
      check.table(self, input)
      local dimension = self:_getPositiveDimension(input)
      check.tensor(self, gradOutput, 'gradOutput')
      local offset, length = 1, 0
      for i = 1, #input do
         local t = check.tensor(self, input[i], 'each part of the input')
         length = length + (dimension <= t:dim() and t:size(dimension) or 0)
      end
      if gradOutput:dim() ~= input[1]:dim() or gradOutput:size(dimension) ~= length then
         check.fail(self, 'gradOutput with size %d of dimension %d expected (got %s)', length, dimension,
            check.describe(gradOutput))
      end
      for i = 1, #input do
         local r = self.gradInput[i] or input[i].new()
         self.gradInput[i] = r
         local size = input[i]:size(dimension)
         r:resizeAs(input[i]):copy(gradOutput:narrow(dimension, offset, size))
         offset = offset + size
      end
      for i = #input + 1, #self.gradInput do self.gradInput[i] = nil end
      return self.gradInput
   end

   function JoinTable:clearState()
      self.gradInput = {}
      self.output:set()
      return self
   end
end

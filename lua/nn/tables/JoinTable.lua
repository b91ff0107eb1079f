-- nn.JoinTable: joins tensors along a dimension.

local torch = require 'torch'
local branches, expect = require 'nn.containers.branches', require 'nn.checks.expect'
local positive = require('nn.simple.dimension').positive

return function(JoinTable)

   function JoinTable:__init()
      self.size = torch.LongStorage()
      self.gradInput = {}
   end

   function JoinTable:_getPositiveDimension(input)
      return positive(self, expect.table(self, input)[1], self.dimension, self.nInputDims)
   end

   function JoinTable:updateOutput(input)
      expect.table(self, input)
      if #input == 0 then expect.fail(self, 'input must be a table of at least one tensor (got none)') end
      local dimension = self:_getPositiveDimension(input)
      local first, length = input[1], 0
      for i = 1, #input do
         local t = expect.tensor(self, input[i], 'each part of the input')
         if not branches.joins(self, first, t, dimension) then
            expect.fail(self, 'tensors must be of one size but for dimension %d (got %s and, as number %d, %s)',
               dimension, expect.describe(first), i, expect.describe(t))
         end
         length = length + t:size(dimension)
      end
      self.size = branches.join(self.output, input, dimension, length)
      return self.output
   end

   function JoinTable:updateGradInput(input, gradOutput)
      expect.table(self, input)
      local dimension = self:_getPositiveDimension(input)
      expect.tensor(self, gradOutput, 'gradOutput')
      local offset, length = 1, 0
      for i = 1, #input do
         local t = expect.tensor(self, input[i], 'each part of the input')
         length = length + (dimension <= t:dim() and t:size(dimension) or 0)
      end
      if gradOutput:dim() ~= input[1]:dim() or gradOutput:size(dimension) ~= length then
         expect.fail(self, 'gradOutput must have size %d of dimension %d (got %s)', length, dimension,
            expect.describe(gradOutput))
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
end

-- nn.CReLU: ReLU of x and of -x, joined along the first dimension that is no batch. As in the original the modules
-- inside work on rows, one for each sample, so that files of it work here and those of this library there.

local expect = require 'nn.checks.expect'

return function(CReLU, parent, nn)

   function CReLU:__init()
      local both = nn.ConcatTable():add(nn.Identity()):add(nn.MulConstant(-1))
      self:add(both):add(nn.JoinTable(2)):add(nn.ReLU(self.inplace))
   end

   local function is_batch(self, input) return input:dim() == self.nInputDims + 1 end

   -- A tensor as rows, as many as the input has samples.
   local function rows(self, input, t)
      local count = is_batch(self, input) and input:size(1) or 1
      return t:contiguous():view(count, t:nElement() / count)
   end

   local function check_input(self, input)
      expect.own(self, input)
      if input:nElement() == 0 then expect.fail(self, 'input must have elements (got %s)', expect.describe(input)) end
   end

   function CReLU:updateOutput(input)
      check_input(self, input)
      local y, sizes, d = parent.updateOutput(self, rows(self, input, input)), input:size(),
         is_batch(self, input) and 2 or 1
      sizes[d] = 2 * sizes[d]
      self.output = y:view(sizes)
      return self.output
   end

   function CReLU:updateGradInput(input, gradOutput)
      check_input(self, input)
      expect.own(self, gradOutput, 'gradOutput')
      if gradOutput:nElement() ~= 2 * input:nElement() then
         expect.fail(self, 'gradOutput must have twice the elements of the input (got %s)', expect.describe(gradOutput))
      end
      local g = parent.updateGradInput(self, rows(self, input, input), rows(self, input, gradOutput))
      self.gradInput = g:viewAs(input)
      return self.gradInput
   end

   -- There are no parameters.
   function CReLU:backward(input, gradOutput) return self:updateGradInput(input, gradOutput) end

   function CReLU:__tostring__() return 'CReLU()' end

   -- The first versions of this library joined the input as it is.
   function CReLU:upgrade()
      local join = type(self.modules) == 'table' and self.modules[2]
      if type(join) == 'table' and join.nInputDims then join.dimension, join.nInputDims = 2, nil end
   end
end

-- nn.GatedLinearUnit: the first half of a dimension times the sigmoid of the second.

local torch = require 'torch'
local expect = require 'nn.expect'

return function(GatedLinearUnit, _, nn)

   function GatedLinearUnit:__init() self.sigmoid = nn.Sigmoid() end

   function GatedLinearUnit:upgrade()
      self.sigmoid = self.sigmoid or nn.Sigmoid():type(self._type)
   end

   local function halves(self, input)
      expect.own(self, input)
      local dim = self.dim or input:dim()
      if dim < 1 or dim > input:dim() or input:size(dim) % 2 ~= 0 then
         expect.fail(self, 'input must have an even size of dimension %d (got %s)', dim, expect.describe(input))
      end
      local half = input:size(dim) / 2
      return dim, half, input:narrow(dim, 1, half), input:narrow(dim, half + 1, half)
   end

   function GatedLinearUnit:updateOutput(input)
      local _, _, first, second = halves(self, input)
      local gate = self.sigmoid:updateOutput(second)
      self.output:resizeAs(first):cmul(first, gate)
      return self.output
   end

   function GatedLinearUnit:updateGradInput(input, gradOutput)
      local dim, half, first, second = halves(self, input)
      expect.same_count(self, first, expect.own(self, gradOutput, 'gradOutput'))
      expect.same_count(self, first, self.sigmoid.output, 'backward called before forward on this input: output')
      self.gradInput:resizeAs(input)
      local back = self.gradInput:narrow(dim, 1, half)
      back:cmul(gradOutput, self.sigmoid.output)
      self.gradInput:narrow(dim, half + 1, half):copy(
         self.sigmoid:updateGradInput(second, torch.cmul(first, gradOutput)))
      return self.gradInput
   end
end

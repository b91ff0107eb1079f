-- nn.GatedLinearUnit: the first half of a dimension times the sigmoid of the second.

local expect = require 'nn.checks.expect'
local operation = require('torch.dispatch.install').operation

-- x times the gate, the sigmoid of y; and the slope of the gate, times x and w.
local gated = operation { 'GatedLinearUnit', { 'r t t', 'elementwise.map', { 'z = x * sigmoid(y)' } },
   types = 'real' }
local slope = operation { 'GatedLinearUnit', { 'r t t t', 'elementwise.map',
   { 'a = sigmoid(y); z = a * (1 - a) * w * x' } }, types = 'real' }

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
      gated(self.output, first, second)
      return self.output
   end

   function GatedLinearUnit:updateGradInput(input, gradOutput)
      local dim, half, first, second = halves(self, input)
      expect.same_count(self, first, expect.own(self, gradOutput, 'gradOutput'))
      expect.same_count(self, first, self.output, 'backward called before forward on this input: output')
      local g = gradOutput:isSameSizeAs(first) and gradOutput or gradOutput:contiguous():viewAs(first)
      self.gradInput:resizeAs(input)
      gated(self.gradInput:narrow(dim, 1, half), g, second)
      slope(self.gradInput:narrow(dim, half + 1, half), g, second, first)
      return self.gradInput
   end
end

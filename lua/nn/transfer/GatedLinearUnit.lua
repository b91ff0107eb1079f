-- nn.GatedLinearUnit: the first half of a dimension times the sigmoid of the second.

local torch = require 'torch'
local check = require 'nn.check'

return function(GatedLinearUnit, parent, nn)

   function GatedLinearUnit:__init(dim)
      parent.__init(self)
      self.sigmoid = nn.Sigmoid()
      self.dim = dim
   end

   local function halves(self, input)
      check.own(self, input)
      local dim = self.dim or input:dim()
      if dim < 1 or dim > input:dim() or input:size(dim) % 2 ~= 0 then
         check.fail(self, 'input with an even size of dimension %d expected (got %s)', dim, check.describe(input))
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
      check.same_count(self, first, check.own(self, gradOutput, 'gradOutput'))
      check.same_count(self, first, self.sigmoid.output, 'forward of the same input before backward: output')
      self.gradInput:resizeAs(input)
      local back = self.gradInput:narrow(dim, 1, half)
      back:cmul(gradOutput, self.sigmoid.output)
      self.gradInput:narrow(dim, half + 1, half):copy(
         self.sigmoid:updateGradInput(second, torch.cmul(first, gradOutput)))
      return self.gradInput
   end
end

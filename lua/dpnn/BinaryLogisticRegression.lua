-- nn.BinaryLogisticRegression: the mean of log(1 + exp(-target * input)), targets 1 and -1, one for each sample.
-- nn.SpatialBinaryLogisticRegression: the same for each element of maps.

local torch = require 'torch'
local check = require 'torch.base.check'

return function(Criterion, _, _, name)

   local function check_input(self, input, target)
      check.real(self, 'input', input)
      if name ~= 'BinaryLogisticRegression' then check.dimensions(self, 'input', input, 2, 4) end
      check.same_count(self, 'target', target, input)
      return input:contiguous():view(-1), target:typeAs(input):contiguous():view(-1)
   end

   -- log(1 + exp(-a)) = max(-a, 0) + log(1 + exp(-|a|))
   function Criterion:updateOutput(input, target)
      local x, t = check_input(self, input, target)
      local a = torch.cmul(x, t)
      local loss = torch.abs(a):mul(-1):exp():log1p():add(torch.cmax(a * -1, 0)):sum()
      self.output = self.sizeAverage and loss / x:nElement() or loss
      return self.output
   end

   function Criterion:updateGradInput(input, target)
      local x, t = check_input(self, input, target)
      local slope = torch.cmul(x, t):mul(-1):sigmoid():cmul(t):mul(-1)
      if self.sizeAverage then slope:div(x:nElement()) end
      self.gradInput:resizeAs(input):copy(slope)
      return self.gradInput
   end
end

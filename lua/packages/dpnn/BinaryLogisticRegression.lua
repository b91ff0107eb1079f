-- nn.BinaryLogisticRegression: the mean of log(1 + exp(-target * input)), targets 1 and -1, one for each sample.
-- nn.SpatialBinaryLogisticRegression: half of it for each element of maps; without sizeAverage it is divided by the
-- elements of one map.

local torch = require 'torch'
local check = require 'torch.base.check'

return function(Criterion, parent, _, name)

   local spatial = name ~= 'BinaryLogisticRegression'

   -- That of maps has the option as a field alone.
   if spatial then
      function Criterion:__init()
         parent.__init(self)
         self.sizeAverage = true
      end
   end

   local function check_maps(self, input, target)
      check.dimensions(self, 'input', input, 3, 4)
      if input:size(input:dim() - 2) ~= 1 then check.argument_error(self, 'input', 'maps of one plane', input) end
      check.same_size(self, 'target', target, input)
   end

   local function check_samples(self, what, value)
      check.dimensions(self, what, value, 1, 2)
      if value:dim() == 2 and value:size(1) ~= 1 and value:size(2) ~= 1 then
         check.argument_error(self, what, 'a tensor of batch, or batch x 1', value)
      end
   end

   local function check_input(self, input, target)
      check.real(self, 'input', input)
      if spatial then
         check_maps(self, input, target)
      else
         check_samples(self, 'input', input)
         check_samples(self, 'target', target)
         check.same_count(self, 'target', target, input)
      end
      return input:contiguous():view(-1), target:typeAs(input):contiguous():view(-1)
   end

   -- What sums are divided by.
   local function divisor(self, input)
      local count = input:nElement()
      if not spatial then return self.sizeAverage and count or 1 end
      return 2 * (self.sizeAverage and count or input:size(input:dim() - 1) * input:size(input:dim()))
   end

   -- log(1 + exp(-a)) = max(-a, 0) + log(1 + exp(-|a|))
   function Criterion:updateOutput(input, target)
      local x, t = check_input(self, input, target)
      local a = torch.cmul(x, t)
      local loss = torch.abs(a):mul(-1):exp():log1p():add(torch.cmax(a * -1, 0)):sum()
      self.output = loss / divisor(self, input)
      return self.output
   end

   function Criterion:updateGradInput(input, target)
      local x, t = check_input(self, input, target)
      local slope = torch.cmul(x, t):mul(-1):sigmoid():cmul(t):mul(-1)
      self.gradInput:resizeAs(input):copy(slope:div(divisor(self, input)))
      return self.gradInput
   end
end

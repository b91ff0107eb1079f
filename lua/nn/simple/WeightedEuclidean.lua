-- nn.WeightedEuclidean: distances from the columns of the weight, each input weighed: |c (w - x)|.

local sqrt = math.sqrt
local torch = require 'torch'
local check = require 'nn.check'

return function(WeightedEuclidean, parent)

   function WeightedEuclidean:__init(inputSize, outputSize)
      parent.__init(self)
      self.weight, self.gradWeight = torch.Tensor(inputSize, outputSize), torch.Tensor(inputSize, outputSize)
      -- The weight of each input for each output: a diagonal covariance.
      self.diagCov, self.gradDiagCov = torch.Tensor(inputSize, outputSize), torch.Tensor(inputSize, outputSize)
      self.gradInput:resize(inputSize)
      self.output:resize(outputSize)
      self.fastBackward = true
      self:reset()
   end

   function WeightedEuclidean:reset(stdv)
      stdv = stdv and stdv * sqrt(3) or 1 / sqrt(self.weight:size(1))
      self.weight:uniform(-stdv, stdv)
      self.diagCov:fill(1)
   end

   function WeightedEuclidean:parameters()
      return { self.weight, self.diagCov }, { self.gradWeight, self.gradDiagCov }
   end

   -- Both parameters, as large as `like`.
   local function wide(t, like)
      return t:contiguous():view(1, t:size(1), t:size(2)):expandAs(like)
   end

   -- x - w, batch x inputs x outputs.
   local function differences(self, input)
      local inputs, outputs = self.weight:size(1), self.weight:size(2)
      check.own(self, input)
      local dims = input:dim()
      if dims ~= 1 and dims ~= 2 or input:size(dims) ~= inputs then
         check.fail(self, 'input of size %d, or batch x %d, expected (got %s)', inputs, inputs, check.describe(input))
      end
      local batch = dims == 2 and input:size(1) or 1
      local d = input.new(batch, inputs, outputs)
      d:copy(input:contiguous():view(batch, inputs, 1):expandAs(d))
      return d:add(-1, wide(self.weight, d)), batch, inputs, outputs
   end

   function WeightedEuclidean:updateOutput(input)
      local d, batch, _, outputs = differences(self, input)
      self.output:norm(d:cmul(wide(self.diagCov, d)), 2, 2)
      if input:dim() == 1 then self.output:resize(outputs) else self.output:resize(batch, outputs) end
      return self.output
   end

   -- gradOutput / distance, as large as the differences.
   local function ratios(self, gradOutput, d, batch, outputs)
      check.same_count(self, self.output, check.own(self, gradOutput, 'gradOutput'))
      if self.output:nElement() ~= batch * outputs then
         check.fail(self, 'forward of the same input expected before backward')
      end
      return torch.cdiv(gradOutput:contiguous():view(batch, 1, outputs),
         -- Nothing is divided by 0.
         torch.add(self.output, 1e-7):view(batch, 1, outputs)):expandAs(d)
   end

   function WeightedEuclidean:updateGradInput(input, gradOutput)
      if self.gradInput == nil then return nil end
      local d, batch, inputs, outputs = differences(self, input)
      d:cmul(ratios(self, gradOutput, d, batch, outputs))
      local c = wide(self.diagCov, d)
      d:cmul(c):cmul(c)
      self.gradInput:sum(d, 3)
      if input:dim() == 1 then self.gradInput:resize(inputs) else self.gradInput:resize(batch, inputs) end
      return self.gradInput
   end

   -- Adds to both gradients.
   local function accumulate(self, input, gradOutput, scale, gradWeight, gradDiagCov)
      local d, batch, inputs, outputs = differences(self, input)
      local ratio = ratios(self, gradOutput, d, batch, outputs)
      local c = wide(self.diagCov, d)
      local by_weight = torch.cmul(d, c):cmul(c):cmul(ratio):sum(1):view(inputs, outputs)
      local by_cov = torch.cmul(d, d):cmul(c):cmul(ratio):sum(1):view(inputs, outputs)
      gradWeight:add(-scale, by_weight)
      gradDiagCov:add(scale, by_cov)
   end

   function WeightedEuclidean:accGradParameters(input, gradOutput, scale)
      accumulate(self, input, gradOutput, scale or 1, self.gradWeight, self.gradDiagCov)
   end

   function WeightedEuclidean:accUpdateGradParameters(input, gradOutput, lr)
      accumulate(self, input, gradOutput, -lr, self.weight, self.diagCov)
   end
end

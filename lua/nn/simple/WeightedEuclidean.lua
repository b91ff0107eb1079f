-- nn.WeightedEuclidean: distances from the columns of the weight, each input scaled: |c (w - x)|.

local torch = require 'torch'
local distances = require 'nn.simple.distances'
local expanded = distances.expanded

return function(WeightedEuclidean, parent)

   function WeightedEuclidean:__init(inputSize, outputSize)
      parent.__init(self)
      distances.init(self, inputSize, outputSize)
      -- The weight of each input for each output: a diagonal covariance.
      self.diagCov, self.gradDiagCov = torch.Tensor(inputSize, outputSize), torch.Tensor(inputSize, outputSize)
      self:reset()
   end

   function WeightedEuclidean:reset(stdv)
      distances.reset(self, stdv)
      self.diagCov:fill(1)
   end

   function WeightedEuclidean:parameters()
      return { self.weight, self.diagCov }, { self.gradWeight, self.gradDiagCov }
   end

   function WeightedEuclidean:updateOutput(input)
      local d = distances.differences(self, input)
      return distances.output(self, input, d:cmul(expanded(self.diagCov, d)))
   end

   function WeightedEuclidean:updateGradInput(input, gradOutput)
      if self.gradInput == nil then return nil end
      local d = distances.differences(self, input)
      d:cmul(distances.ratios(self, gradOutput, d))
      local c = expanded(self.diagCov, d)
      return distances.grad_input(self, input, d:cmul(c):cmul(c))
   end

   -- Adds to both gradients.
   local function accumulate(self, input, gradOutput, scale, gradWeight, gradDiagCov)
      local d = distances.differences(self, input)
      local ratio = distances.ratios(self, gradOutput, d)
      local c = expanded(self.diagCov, d)
      gradWeight:add(-scale, torch.cmul(d, c):cmul(c):cmul(ratio):sum(1):squeeze(1))
      gradDiagCov:add(scale, torch.cmul(d, d):cmul(c):cmul(ratio):sum(1):squeeze(1))
   end

   function WeightedEuclidean:accGradParameters(input, gradOutput, scale)
      accumulate(self, input, gradOutput, scale or 1, self.gradWeight, self.gradDiagCov)
   end

   function WeightedEuclidean:accUpdateGradParameters(input, gradOutput, lr)
      accumulate(self, input, gradOutput, -lr, self.weight, self.diagCov)
   end
end

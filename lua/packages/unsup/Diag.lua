-- nn.Diag: multiplies each feature, an element of a vector or a plane, by a separate weight.

local torch = require 'torch'
local check = require 'torch.base.check'

return function(_, nn)
   local Diag, parent = torch.class('nn.Diag', 'nn.Module', nn)

   function Diag:__init(features)
      parent.__init(self)
      check.size('Diag', 'features', features)
      self.weight, self.gradWeight = torch.Tensor(features), torch.zeros(features)
      self:reset()
   end

   function Diag:reset() self.weight:fill(1) end

   -- Features are the first dimension, or the second one of a batch.
   local function feature_dimension(dims) return (dims == 2 or dims == 4) and 2 or 1 end

   -- The weight, or another vector, as large as the input.
   local function broadcast(self, vector, input)
      check.tensor(self, 'input', input)
      local dims, features = input:dim(), self.weight:size(1)
      local at = feature_dimension(dims)
      if dims < 1 or dims > 4 or input:size(at) ~= features then
         check.argument_error(self, 'input', string.format('a tensor of up to 4 dimensions with %d features',
            features), input)
      end
      local sizes = torch.LongStorage(dims):fill(1)
      sizes[at] = features
      return vector:view(sizes):expandAs(input)
   end

   function Diag:updateOutput(input)
      return self.output:resizeAs(input):cmul(input, broadcast(self, self.weight, input))
   end

   function Diag:updateGradInput(input, gradOutput)
      check.same_size(self, 'gradOutput', gradOutput, input)
      return self.gradInput:resizeAs(input):cmul(gradOutput, broadcast(self, self.weight, input))
   end

   -- Adds the sums of a product over all but the features.
   local function accumulate(self, target, product, scale)
      local at = feature_dimension(product:dim())
      target:add(scale or 1, product:transpose(1, at):contiguous():view(self.weight:size(1), -1):sum(2):view(-1))
   end

   function Diag:accGradParameters(input, gradOutput, scale)
      check.same_size(self, 'gradOutput', gradOutput, input)
      accumulate(self, self.gradWeight, torch.cmul(input, gradOutput), scale)
   end

   function Diag:updateDiagHessianInput(input, diagHessianOutput)
      local squares = torch.cmul(self.weight, self.weight)
      self.diagHessianInput = torch.cmul(diagHessianOutput, broadcast(self, squares, input))
      return self.diagHessianInput
   end

   function Diag:accDiagHessianParameters(input, diagHessianOutput, scale)
      self:initDiagHessianParameters(true)
      accumulate(self, self.diagHessianWeight, torch.cmul(input, input):cmul(diagHessianOutput), scale)
   end
end

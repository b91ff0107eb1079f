-- nn.Diag: multiplies each feature, an entry along the first dimension, by a separate weight.

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

   -- The weight, or another vector, as large as the input: an element for each entry along its first dimension. As in
   -- the original an input of several dimensions may have fewer entries than there are weights.
   local function broadcast(self, vector, input)
      check.tensor(self, 'input', input)
      local dims, features = input:dim(), self.weight:size(1)
      local few = dims > 1 and input:size(1) <= features
      if not few and (dims ~= 1 or input:size(1) ~= features) then
         check.argument_error(self, 'input', string.format('a tensor with %d features in its first dimension',
            features), input)
      end
      local sizes = torch.LongStorage(dims):fill(1)
      sizes[1] = input:size(1)
      return vector:narrow(1, 1, sizes[1]):view(sizes):expandAs(input)
   end

   function Diag:updateOutput(input)
      return self.output:resizeAs(input):cmul(input, broadcast(self, self.weight, input))
   end

   function Diag:updateGradInput(input, gradOutput)
      check.same_size(self, 'gradOutput', gradOutput, input)
      return self.gradInput:resizeAs(input):cmul(gradOutput, broadcast(self, self.weight, input))
   end

   -- Adds the sums of a product over all but the features.
   local function accumulate(target, product, scale)
      local features = product:size(1)
      target:narrow(1, 1, features):add(scale or 1, product:view(features, -1):sum(2):view(-1))
   end

   function Diag:accGradParameters(input, gradOutput, scale)
      check.same_size(self, 'gradOutput', gradOutput, input)
      accumulate(self.gradWeight, torch.cmul(input, gradOutput), scale)
   end

   function Diag:updateDiagHessianInput(input, diagHessianOutput)
      local squares = torch.cmul(self.weight, self.weight)
      self.diagHessianInput = torch.cmul(diagHessianOutput, broadcast(self, squares, input))
      return self.diagHessianInput
   end

   function Diag:accDiagHessianParameters(input, diagHessianOutput, scale)
      self:initDiagHessianParameters(true)
      accumulate(self.diagHessianWeight, torch.cmul(input, input):cmul(diagHessianOutput), scale)
   end
end

-- Layers whose parameters are not trained: inn.MeanSubtraction(mean), inn.ConstAffine(planes).

local torch = require 'torch'
local check = require 'torch.base.check'

return function(inn)
   local Mean, parent = torch.class('inn.MeanSubtraction', 'nn.Module', inn)

   -- `mean` is an image, which is subtracted from each image of a batch, or a number for each plane.
   function Mean:__init(mean)
      parent.__init(self)
      self.mean = check.tensor('MeanSubtraction', 'mean', mean):clone()
   end

   function Mean:updateOutput(input)
      check.dimensions(self, 'input', input, 3, 4)
      local mean = self.mean
      if mean:dim() == 1 then mean = mean:view(-1, 1, 1) end
      if input:dim() == 4 then mean = mean:view(1, mean:size(1), mean:size(2), mean:size(3)) end
      self.output:resizeAs(input):add(input, -1, mean:expandAs(input))
      return self.output
   end

   -- The gradient as it is. The field gradInput, which backward gives, stays empty.
   function Mean:updateGradInput(input, gradOutput) return check.same_size(self, 'gradOutput', gradOutput, input) end

   local Affine = torch.class('inn.ConstAffine', 'nn.Module', inn)

   -- a * x + b with a number of each for each plane; a is 1 and b is 0 until they are set.
   function Affine:__init(planes)
      parent.__init(self)
      self.a = torch.ones(check.size('ConstAffine', 'planes', planes))
      self.b = torch.zeros(planes)
   end

   local function broadcast(self, vector, input)
      check.dimensions(self, 'input', input, 2, 4)
      local at, sizes = input:dim() == 3 and 1 or 2, torch.LongStorage(input:dim()):fill(1)
      if input:size(at) ~= vector:size(1) then
         check.argument_error(self, 'input', string.format('a tensor of %d planes', vector:size(1)), input)
      end
      sizes[at] = vector:size(1)
      return vector:view(sizes):expandAs(input)
   end

   function Affine:updateOutput(input)
      self.output:resizeAs(input):cmul(input, broadcast(self, self.a, input)):add(broadcast(self, self.b, input))
      return self.output
   end

   function Affine:updateGradInput(input, gradOutput)
      check.same_size(self, 'gradOutput', gradOutput, input)
      self.gradInput:resizeAs(input):cmul(gradOutput, broadcast(self, self.a, input))
      return self.gradInput
   end
end

-- nn.SpatialNormalization: maps less the weighted means of the neighbors in all of them, divided by the deviations.

local torch = require 'torch'
local check = require 'torch.base.check'

return function(Norm, parent)

   -- A kernel that the caller keeps, from a matrix, a vector for both directions, or two vectors { row, column }.
   local function kernel_of(kernel)
      if type(kernel) ~= 'table' then return check.tensor('SpatialNormalization', 'kernel', kernel):clone() end
      local row, column = kernel[1], kernel[2]
      check.real('SpatialNormalization', 'kernel[1]', row)
      check.same_type('SpatialNormalization', 'kernel[2]', column, row)
      return torch.ger(column:contiguous():view(-1), row:contiguous():view(-1))
   end

   function Norm:__init(nInputPlane, kernel, threshold)
      parent.__init(self, nInputPlane, kernel_of(kernel), threshold)
   end

   -- A single map may come without the dimension of the planes.
   local function planes_of(self, t)
      local single = self.nInputPlane == 1 and torch.isTensor(t) and t:dim() == 2
      return single and t:contiguous():view(1, t:size(1), t:size(2)) or t
   end

   function Norm:updateOutput(input)
      self.output = parent.updateOutput(self, planes_of(self, input))
      return self.output
   end

   function Norm:updateGradInput(input, gradOutput)
      self.gradInput = parent.updateGradInput(self, planes_of(self, input), planes_of(self, gradOutput))
      if input:dim() == 2 then self.gradInput = self.gradInput[1] end
      return self.gradInput
   end
end

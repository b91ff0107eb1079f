-- nn.SpatialAutoCropMSECriterion: MSECriterion for targets that are larger than the input; their centre counts.

local expect = require 'nn.checks.expect'

return function(SpatialAutoCropMSECriterion, parent)

   local function cropped(self, input, target)
      expect.tensor(self, input)
      local dims = expect.tensor(self, target, 'target'):dim()
      if dims ~= input:dim() or dims < 2 then
         expect.fail(self, 'target must have as many dimensions as the input (got %s and %s)', expect.describe(input),
            expect.describe(target))
      end
      local part = target
      for d = dims - 1, dims do
         local size, whole = input:size(d), target:size(d)
         if whole < size then
            expect.fail(self, 'target must be at least as large as the input (got %s and %s)', expect.describe(input),
               expect.describe(target))
         end
         part = part:narrow(d, math.floor((whole - size) / 2) + 1, size)
      end
      return part
   end

   function SpatialAutoCropMSECriterion:updateOutput(input, target)
      return parent.updateOutput(self, input, cropped(self, input, target))
   end

   -- There is no gradient of a target that was cropped.
   function SpatialAutoCropMSECriterion:updateGradInput(input, target)
      return parent.updateGradInput(self, input, target)
   end
end

-- nn.SpatialAutoCropMSECriterion: MSECriterion for targets that are larger than the input; their centre counts.

local floor = math.floor
local check = require 'nn.check'

return function(SpatialAutoCropMSECriterion, parent)

   local function cropped(self, input, target)
      check.tensor(self, input)
      local dims = check.tensor(self, target, 'target'):dim()
      if dims ~= input:dim() or dims < 2 then
         check.fail(self, 'target of as many dimensions as the input expected (got %s and %s)', check.describe(input),
            check.describe(target))
      end
      local part = target
      for d = dims - 1, dims do
         local size, whole = input:size(d), target:size(d)
         if whole < size then
            check.fail(self, 'target at least as large as the input expected (got %s and %s)', check.describe(input),
               check.describe(target))
         end
         part = part:narrow(d, floor((whole - size) / 2) + 1, size)
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

-- nn.SpatialFeatNormalization: subtracts a mean from each plane, and divides it by a deviation.

local check, mixins = require 'torch.base.check', require 'nn.module.mixins'

return function(Normalization, parent)

   function Normalization:__init(mean, std)
      parent.__init(self)
      check.dimensions('SpatialFeatNormalization', 'mean', mean, 1, 1)
      self.mean, self.std = mean:clone(), std and check.same_size('SpatialFeatNormalization', 'std', std, mean):clone()
   end

   -- A number for each plane as a tensor of the sizes of the maps.
   local function broadcast(self, numbers, x)
      check.dimensions(self, 'input', x, 3, 4)
      local planes = x:size(x:dim() - 2)
      if planes ~= numbers:size(1) then check.argument_error(self, 'input', numbers:size(1) .. ' planes', x) end
      return (x:dim() == 3 and numbers:view(planes, 1, 1) or numbers:view(1, planes, 1, 1)):expandAs(x)
   end

   mixins.on_copies(Normalization, function(self, output, input)
      output:add(-1, broadcast(self, self.mean, input))
      if self.std then output:cdiv(broadcast(self, self.std, input)) end
   end, function(self, gradInput, input)
      if self.std then gradInput:cdiv(broadcast(self, self.std, input)) end
   end)
end

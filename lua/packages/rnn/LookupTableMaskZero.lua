-- nn.LookupTableMaskZero: a lookup table in which the index 0 gives zeros. The weight has one row more, the first one,
-- which forward sets to zero.

local torch = require 'torch'
local check = require 'torch.base.check'

return function(Lookup, parent)

   function Lookup:__init(nIndex, nOutput, paddingValue, maxNorm, normType)
      parent.__init(self, check.size('LookupTableMaskZero', 'number of indices', nIndex) + 1, nOutput, paddingValue,
         maxNorm, normType)
   end

   -- The rows of the weight of the indices.
   local function rows_of(self, input)
      check.tensor(self, 'input', input)
      check.dimensions(self, 'weight', self.weight, 2, 2)
      if input:nElement() > 0 then
         local minimum, maximum = input:min(), input:max()
         if minimum < 0 or maximum > self.weight:size(1) - 1 then
            check.fail(self, 'indices must be from 0 to %d (got %s to %s)', self.weight:size(1) - 1, minimum, maximum)
         end
      end
      if torch.type(self.__input) ~= input:type() then self.__input = input.new() end
      return self.__input:resize(input:size()):copy(input):add(1)
   end

   function Lookup:updateOutput(input)
      local rows = rows_of(self, input)
      self.weight[1]:zero()
      return parent.updateOutput(self, rows)
   end

   function Lookup:accGradParameters(input, gradOutput, scale)
      parent.accGradParameters(self, rows_of(self, input), gradOutput, scale)
   end
end

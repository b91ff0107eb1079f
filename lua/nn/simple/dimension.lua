-- Dimensions as modules take them: negative ones count from the end, and inputs with one more dimension than
-- a module was told are batches.

local expect = require 'nn.expect'

local dimension = {}

-- The dimension of the input that a module's `dimension` means; an error when there is none.
function dimension.positive(module, input, wanted, numInputDims)
   expect.tensor(module, input)
   local d = wanted
   if d < 0 then
      d = input:dim() + d + 1
   elseif numInputDims and input:dim() == numInputDims + 1 then
      d = d + 1
   end
   if d < 1 or d > input:dim() then
      expect.fail(module, 'input must have a dimension %d (got %s)', wanted, expect.describe(input))
   end
   return d
end

return dimension

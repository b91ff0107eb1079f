-- Two vectors, or two batches of them, as modules of pairs take them.

local torch = require 'torch'
local check = require 'nn.check'

-- Both as matrices, a row for each sample.
return function(self, input)
   check.table(self, input)
   local a, b = input[1], input[2]
   if not (torch.isTensor(a) and torch.isTensor(b) and a:isSameSizeAs(b) and (a:dim() == 1 or a:dim() == 2)) then
      check.fail(self, 'two vectors, or two matrices, of one size expected (got %s)', check.describe(input))
   end
   local n = a:size(a:dim())
   local batch = a:nElement() / n
   return a:contiguous():view(batch, n), b:contiguous():view(batch, n), batch
end

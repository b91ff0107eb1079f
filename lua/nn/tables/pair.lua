-- Two vectors, or two batches of them, as modules of pairs take them.

local torch = require 'torch'
local expect = require 'nn.expect'

local function flat(t) return t:dim() == 1 or t:dim() == 2 end

-- Both as matrices, a row for each sample.
return function(self, input)
   expect.table(self, input)
   local a, b = input[1], input[2]
   -- A vector may stand beside a batch of one.
   local fits = torch.isTensor(a) and torch.isTensor(b) and a:nElement() == b:nElement()
   if not (fits and flat(a) and flat(b) and a:size(a:dim()) == b:size(b:dim())) then
      expect.refuse(self, 'input', 'two vectors, or two matrices, of one size', input)
   end
   local n = a:size(a:dim())
   local batch = a:nElement() / n
   return a:contiguous():view(batch, n), b:contiguous():view(batch, n), batch
end

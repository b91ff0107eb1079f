-- Rows of zeros in batches, by which sequences of unequal lengths are padded.

local torch = require 'torch'
local check, nested = require 'torch.base.check', require 'nn.module.nested'

local zero_rows = {}

-- The first tensor of nested tables.
function zero_rows.first(value)
   while torch.type(value) == 'table' do value = value[1] end
   return value
end

-- A ByteTensor with a 1 for each sample of the first tensor that is all zeros; second whether there is a batch.
-- `dimensions` is the number of dimensions of a sample.
function zero_rows.mask(self, input, dimensions)
   local x = check.tensor(self, 'input', zero_rows.first(input))
   check.dimensions(self, 'input', x, dimensions, dimensions + 1)
   local batch = x:dim() > dimensions
   local count = batch and x:size(1) or 1
   if x:nElement() == 0 then return torch.ByteTensor(count):fill(0), batch end
   return x:contiguous():view(count, -1):ne(0):max(2):view(count):eq(0), batch
end

-- A copy of `from` in `to`, tensors or tables of them, in which masked samples are zeros.
function zero_rows.masked(self, to, from, mask, batch)
   return nested.mirror(to, from, function(part, tensor)
      check.tensor(self, 'each part', tensor)
      part = nested.like(part, tensor):resize(tensor:size()):copy(tensor)
      if not batch then return mask[1] == 1 and part:zero() or part end
      if part:dim() == 0 or part:size(1) ~= mask:size(1) then
         check.argument_error(self, 'each part', string.format('a tensor of %d rows', mask:size(1)), tensor)
      end
      local rows = part:view(mask:size(1), -1)
      rows:maskedFill(mask:view(-1, 1):expandAs(rows), 0)
      return part
   end)
end

-- The numbers of the samples that are not in the mask: a LongTensor, or nil without any.
function zero_rows.rest(mask)
   if mask:eq(0):sum() == 0 then return nil end
   return mask:eq(0):nonzero():view(-1)
end

-- The samples of these numbers, of tensors of `count` samples in nested tables.
function zero_rows.select(self, what, value, numbers, count)
   return nested.mirror(nil, value, function(_, tensor)
      if not torch.isTensor(tensor) or tensor:dim() == 0 or tensor:size(1) ~= count then
         check.argument_error(self, what, string.format('a tensor of %d rows', count), tensor)
      end
      return tensor:index(1, numbers)
   end)
end

-- Puts samples back at these numbers, with zeros elsewhere: `count` samples in all.
function zero_rows.scatter(to, value, numbers, count)
   return nested.mirror(to, value, function(part, tensor)
      local sizes = tensor:size()
      sizes[1] = count
      return nested.like(part, tensor):resize(sizes):zero():indexCopy(1, numbers, tensor)
   end)
end

return zero_rows

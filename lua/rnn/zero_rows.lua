-- Rows of zeros in batches, by which sequences of unequal lengths are padded.

local torch = require 'torch'
local check = require 'torch.base.check'

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

-- A copy of `from` in `to`, tables alike, in which samples of the mask are zeros.
function zero_rows.masked(self, to, from, mask, batch)
   if torch.type(from) == 'table' then
      to = torch.type(to) == 'table' and to or {}
      for i, inner in ipairs(from) do to[i] = zero_rows.masked(self, to[i], inner, mask, batch) end
      for i = #from + 1, #to do to[i] = nil end
      return to
   end
   check.tensor(self, 'each part', from)
   to = torch.type(to) == torch.type(from) and to or from.new()
   to:resize(from:size()):copy(from)
   if not batch then
      if mask[1] == 1 then to:zero() end
      return to
   end
   if to:dim() == 0 or to:size(1) ~= mask:size(1) then
      check.refuse(self, 'each part', ('a tensor of %d rows'):format(mask:size(1)), from)
   end
   local rows = to:view(mask:size(1), -1)
   rows:maskedFill(mask:view(-1, 1):expandAs(rows), 0)
   return to
end

-- The numbers of the samples that are not in the mask: a LongTensor, or nil without any.
function zero_rows.rest(mask)
   if mask:eq(0):sum() == 0 then return nil end
   return mask:eq(0):nonzero():view(-1)
end

-- The samples of these numbers, of tensors of `count` samples in nested tables.
function zero_rows.select(self, what, value, numbers, count)
   if torch.type(value) == 'table' then
      local result = {}
      for i, inner in ipairs(value) do result[i] = zero_rows.select(self, what, inner, numbers, count) end
      return result
   end
   if not torch.isTensor(value) or value:dim() == 0 or value:size(1) ~= count then
      check.refuse(self, what, ('a tensor of %d rows'):format(count), value)
   end
   return value:index(1, numbers)
end

-- Puts samples back at these numbers, with zeros elsewhere: `count` samples in all.
function zero_rows.spread(to, value, numbers, count)
   if torch.type(value) == 'table' then
      to = torch.type(to) == 'table' and to or {}
      for i, inner in ipairs(value) do to[i] = zero_rows.spread(to[i], inner, numbers, count) end
      for i = #value + 1, #to do to[i] = nil end
      return to
   end
   to = torch.type(to) == torch.type(value) and to or value.new()
   local sizes = value:size()
   sizes[1] = count
   to:resize(sizes):zero():indexCopy(1, numbers, value)
   return to
end

return zero_rows

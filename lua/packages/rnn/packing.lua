-- Sequences of unequal lengths, one after another in columns, with an unused step between them, and back. Programs find
-- the functions as x.nn.VariableLength_FromSamples, ..ToSamples, ..ToFinal and ..FromFinal.
--
-- A packing is two tables with an entry for each column: the numbers of its sequences, and their lengths.

local torch = require 'torch'
local check, tensor_calls = require 'torch.base.check', require 'nn.tools.tensor_calls'

local packing = {}

-- Longer sequences first, and each column filled with what fits into it.
local function columns_of(lengths)
   local order = {}
   for i = 1, #lengths do order[i] = i end
   table.sort(order, function(a, b)
      if lengths[a] ~= lengths[b] then return lengths[a] > lengths[b] end
      return a > b
   end)
   local longest, left, used = lengths[order[1]], #lengths, {}
   local indexes, mapped = {}, {}
   while left > 0 do
      local numbers, sizes, free = {}, {}, longest
      for _, i in ipairs(order) do
         if not used[i] and lengths[i] <= free then
            used[i], left, free = true, left - 1, free - lengths[i] - 1
            numbers[#numbers + 1], sizes[#sizes + 1] = i, lengths[i]
         end
      end
      indexes[#indexes + 1], mapped[#mapped + 1] = numbers, sizes
   end
   return indexes, mapped, longest
end

-- Calls f(number, column, first step, length) for each sequence.
local function each(name, indexes, lengths, f)
   check.kind(name, 'argument 1', indexes, 'table')
   check.kind(name, 'argument 2', lengths, 'table')
   for column, numbers in ipairs(indexes) do
      local first = 1
      for i, number in ipairs(numbers) do
         local length = check.size(name, 'length', check.kind(name, 'argument 2', lengths[column], 'table')[i])
         f(check.size(name, 'number', number), column, first, length)
         first = first + length + 1
      end
   end
end

-- Puts samples, length x ..., into `output`, steps x columns x ..., and a 1 for each unused step into `mask`.
function packing.from_samples(samples, output, mask)
   local name, lengths = 'VariableLength_FromSamples', {}
   check.kind(name, 'argument 1', samples, 'table')
   check.tensor(name, 'argument 2', output)
   check.tensor(name, 'argument 3', mask)
   local sizes
   for i, sample in ipairs(samples) do
      check.dimensions(name, 'each sample', sample, 1, 99)
      lengths[i] = sample:size(1)
      local own = sample:size():totable()
      own[1] = 1
      sizes = sizes or own
      check.same_type(name, 'each sample', sample, output)
      if table.concat(own, 'x') ~= table.concat(sizes, 'x') then
         check.argument_error(name, 'each sample', 'a tensor with steps of one size', sample)
      end
   end
   if not sizes then check.argument_error(name, 'argument 1', 'a table of tensors', samples) end
   local indexes, mapped, longest = columns_of(lengths)
   table.insert(sizes, 1, longest)
   sizes[2] = #indexes
   output:resize(torch.LongStorage(sizes)):zero()
   mask:resize(longest, #indexes):fill(1)
   each(name, indexes, mapped, function(number, column, first, length)
      output:select(2, column):narrow(1, first, length):copy(samples[number])
      mask:select(2, column):narrow(1, first, length):zero()
   end)
   return indexes, mapped
end

-- The samples, as views of the columns.
function packing.to_samples(indexes, lengths, input)
   local samples = {}
   check.dimensions('VariableLength_ToSamples', 'argument 3', input, 2, 99)
   each('VariableLength_ToSamples', indexes, lengths, function(number, column, first, length)
      samples[number] = input:select(2, column):narrow(1, first, length)
   end)
   return samples
end

local function last_steps(name, indexes, lengths, packed, finals, to_finals)
   each(name, indexes, lengths, function(number, column, first, length)
      local step = packed:select(2, column):select(1, first + length - 1)
      local final = finals:dim() == 1 and finals:narrow(1, number, 1) or finals:select(1, number)
      if to_finals then final:copy(step) else step:copy(final) end
   end)
end

-- The last step of each sample: samples x ...
function packing.to_final(indexes, lengths, input, output)
   local name, count = 'VariableLength_ToFinal', 0
   check.dimensions(name, 'argument 3', input, 3, 99)
   check.same_type(name, 'argument 4', check.tensor(name, 'argument 4', output), input)
   each(name, indexes, lengths, function(number) count = math.max(count, number) end)
   local sizes = input:size():totable()
   table.remove(sizes, 1)
   sizes[1] = count
   output:resize(torch.LongStorage(sizes)):zero()
   last_steps(name, indexes, lengths, input, output, true)
   return output
end

-- The reverse, with zeros elsewhere.
function packing.from_final(indexes, lengths, input, output)
   local name, longest = 'VariableLength_FromFinal', 0
   check.dimensions(name, 'argument 3', input, 2, 99)
   check.same_type(name, 'argument 4', check.tensor(name, 'argument 4', output), input)
   each(name, indexes, lengths, function(_, _, first, length) longest = math.max(longest, first + length - 1) end)
   local sizes = input:size():totable()
   table.insert(sizes, 1, longest)
   sizes[2] = #indexes
   output:resize(torch.LongStorage(sizes)):zero()
   last_steps(name, indexes, lengths, output, input, false)
   return output
end

-- Programs reach the functions through tensors.
function packing.install()
   tensor_calls { VariableLength_FromSamples = packing.from_samples, VariableLength_ToSamples = packing.to_samples,
      VariableLength_ToFinal = function(...) packing.to_final(...) end,
      VariableLength_FromFinal = function(...) packing.from_final(...) end }
end

return packing

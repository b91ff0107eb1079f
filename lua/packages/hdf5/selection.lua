-- Hyperslabs: an index as for tensors, `{ {first, last [, step]}, {}, '...', i }`, becomes the 0-based start, count,
-- step and size of each dimension. `caller_name()` names the function in errors.

local check = require 'torch.base.check'

local selection = {}

local function position(caller_name, d, value, size)
   if type(value) ~= 'number' or value % 1 ~= 0 or value == 0 or value > size or value < -size then
      check.argument_error(caller_name(), 'index of dimension ' .. d, 'a position from 1 to ' .. size
         .. ', or from the end below 0', value)
   end
   return value < 0 and value + size or value - 1
end

local function range(caller_name, d, entry, size)
   if entry[1] == nil and entry[2] == nil then return 0, size, 1 end
   local step = entry[3] or 1
   if type(step) ~= 'number' or step < 1 or step % 1 ~= 0 then
      step = check.integer(caller_name(), 'step of dimension ' .. d, step, 1)
   end
   local first = position(caller_name, d, entry[1] or 1, size)
   local last = position(caller_name, d, entry[2] or entry[1], size)
   if last < first then
      check.argument_error(caller_name(), 'range of dimension ' .. d, 'a first position before the last', entry)
   end
   return first, math.floor((last - first) / step) + 1, step
end

-- The index with '...' replaced by as many {} as there are dimensions left.
local function expand_ellipsis(caller_name, index, dimensions)
   local full, count, seen = {}, #index, false
   for k = 1, count do
      if index[k] ~= '...' then
         full[#full + 1] = index[k]
      else
         if seen then
            check.fail(caller_name(), "'...' stands for all dimensions that are left, it cannot stand twice")
         end
         for _ = count, dimensions do full[#full + 1] = {} end
         seen = true
      end
   end
   return full
end

-- Returns the numbers of a box, and the sizes of its part, in which a dimension of one position is left out.
function selection.of(caller_name, index, sizes)
   if type(index) ~= 'table' then index = { index } end
   for k = 1, #index do
      if index[k] == '...' then
         index = expand_ellipsis(caller_name, index, #sizes)
         break
      end
   end
   if #index > #sizes then
      check.fail(caller_name(), 'indices must be at most %d, one for each dimension (got %d)', #sizes, #index)
   end
   local numbers, kept = {}, {}
   for d, size in ipairs(sizes) do
      local entry = index[d]
      local first, count, step
      if entry == nil then
         first, count, step = 0, size, 1
         kept[#kept + 1] = count
      elseif type(entry) == 'table' then
         first, count, step = range(caller_name, d, entry, size)
         kept[#kept + 1] = count
      else
         first, count, step = position(caller_name, d, entry, size), 1, 1
      end
      local n = #numbers
      numbers[n + 1], numbers[n + 2], numbers[n + 3], numbers[n + 4] = first, count, step, size
   end
   return numbers, kept
end

return selection

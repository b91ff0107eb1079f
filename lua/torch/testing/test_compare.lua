-- Comparisons of torch.Tester: whether two values are equal, and the messages for tests of equality and inequality.

local format = string.format
local class_registry, key_order = require 'torch.base.class_registry', require 'torch.base.key_order'
local types = require 'torch.base.types'

local test_compare = {}

local function text_of(value)
   if type(value) == 'number' then return tostring(value) end
   return format('%s (%s)', tostring(value), class_registry.type(value))
end

-- Simple values; numbers may differ by the tolerance.
function test_compare.values(got, expected, tolerance)
   local a, b = text_of(got), text_of(expected)
   local suffix = ''
   local same = got == expected
   if type(got) == 'number' and type(expected) == 'number' then
      if tolerance ~= 0 then suffix = format(' with tolerance=%s', tostring(tolerance)) end
      -- Infinities have no difference, and are never equal.
      same = math.abs(got - expected) <= tolerance
   end
   return same, format('EQ failed: %s ~= %s%s', a, b, suffix), format('NE failed: %s == %s%s', a, b, suffix)
end

function test_compare.sizes(t) return table.concat(t:size():totable(), 'x') end

-- Computes the largest difference of two tensors of the same size; nan if elements have none, such as two infinities.
local function max_difference(got, expected)
   local largest = 0
   local a, b = got:contiguous():view(-1):double(), expected:contiguous():view(-1):double()
   local x, y = a:data(), b:data()
   for i = 0, a:nElement() - 1 do
      local difference = math.abs(x[i] - y[i])
      if difference ~= difference then return difference end
      largest = math.max(largest, difference)
   end
   -- The pointers are valid as long as the tensors.
   return largest, a, b
end

local function by_difference(kind, got, expected, tolerance)
   local difference = got:nElement() == 0 and 0 or (max_difference(got, expected))
   local message = format('(==) violation: max diff=%s, tolerance=%s', tostring(difference), tostring(tolerance))
   return difference <= tolerance, kind .. 'EQ' .. message, kind .. 'NE' .. message
end

-- Tensors of the same type; with `any_shape` only their numbers of elements must agree.
function test_compare.tensors(got, expected, tolerance, any_shape)
   if not any_shape and got:dim() ~= expected:dim() then return false, 'The tensors have different dimensions' end
   if class_registry.typename(got) ~= class_registry.typename(expected) then
      return false, 'The tensors have different types'
   end
   if got:dim() == 0 and expected:dim() == 0 then return true, nil, 'Both tensors are empty' end
   local same = any_shape and got:nElement() == expected:nElement() or got:isSameSizeAs(expected)
   if not same then return false, 'The tensors have different sizes' end
   return by_difference('Tensor', got, expected, tolerance)
end

local function tensor_of(storage)
   local T = types.of_storage(storage)
   local tensor = T.new_tensor()
   return #storage == 0 and tensor or T.tensor_methods.set(tensor, storage)
end

local function storages(got, expected, tolerance)
   if #got ~= #expected then return false, 'The storages have different sizes' end
   return by_difference('Storage', tensor_of(got), tensor_of(expected), tolerance)
end

-- Tables, breadth first: the place that a message names is the least deep that differs. The classes of objects do not
-- matter.
function test_compare.tables(got, expected, tolerance)
   local queue, compared, n = { { got, expected } }, {}, 1
   while queue[n] do
      local a, b, location = unpack(queue[n])
      n = n + 1
      if a ~= b and compared[a] ~= b then
         compared[a] = b
         local function place(key) return (location and location .. '.' or '') .. tostring(key) end
         for key, value in key_order.pairs(a) do
            local other = b[key]
            if other == nil then
               return false, format('Entry %s missing in second table (is %s in first)', place(key), tostring(value))
            elseif type(value) == 'table' and type(other) == 'table' then
               queue[#queue + 1] = { value, other, place(key) }
            else
               local same, message = test_compare.any(value, other, tolerance)
               if not same then return false, format('At table location %s: %s', place(key), message) end
            end
         end
         for key, value in key_order.pairs(b) do
            if a[key] == nil then
               return false, format('Entry %s missing in first table (is %s in second)', place(key), tostring(value))
            end
         end
      end
   end
   return true, nil, 'The tables are equal'
end

function test_compare.any(got, expected, tolerance)
   if types.of_tensor(got) and types.of_tensor(expected) then return test_compare.tensors(got, expected, tolerance) end
   if type(got) == 'table' and type(expected) == 'table' then return test_compare.tables(got, expected, tolerance) end
   if class_registry.type(got) ~= class_registry.type(expected) then
      local message = format('EQ failed: values have different types (first: %s, second: %s)', class_registry.type(got),
         class_registry.type(expected))
      return false, message, message
   end
   if types.of_storage(got) then return storages(got, expected, tolerance) end
   return test_compare.values(got, expected, tolerance)
end

return test_compare

-- Memory of tensors and bytes of values, as the functions of t7shell/packages/mpi/world.py take them.

local ipairs, pairs, require, sort, tostring, type = ipairs, pairs, require, table.sort, tostring, type
local torch = require 'torch'
local check, exchange = require 'torch.base.check', require 'torch.utility.exchange'
local buffers, geometry = require 'torch.memory.buffers', require 'torch.base.geometry'
local types = require 'torch.base.types'

local elements = { of_tensor = types.of_tensor, address = exchange.address, keep_alive = buffers.keep_alive }

-- Returns a contiguous tensor of the elements of t, whether it is another one, its bytes and its type.
function elements.contiguous(t)
   local T = types.of_tensor(t)
   local bytes = geometry.numel(t) * T.size
   if geometry.contiguous(t) then return t, false, bytes, T end
   return t:clone(), true, bytes, T
end

-- The same for memory that is used after the call: resizing the tensor does not free it.
function elements.held(t)
   local whole, copied, bytes, T = elements.contiguous(t)
   if bytes > 0 then buffers.expose(whole._memory) end
   return whole, copied, bytes, T
end

-- Returns a storage of the bytes of a value, its address and their number.
function elements.packed(value)
   local storage = torch.serializeToStorage(value)
   return storage, exchange.address(torch.CharTensor(storage)), storage:size()
end

-- Calls f for all tensors of a nested table, in an order that follows from the keys; returns the value.
function elements.each(name, value, f)
   if types.of_tensor(value) then
      f(value)
      return value
   end
   check.kind(name, 'value', value, 'table')
   local keys = {}
   for key in pairs(value) do keys[#keys + 1] = key end
   sort(keys, function(a, b)
      if type(a) == 'number' and type(b) == 'number' then return a < b end
      return type(a) .. tostring(a) < type(b) .. tostring(b)
   end)
   for _, key in ipairs(keys) do elements.each(name, value[key], f) end
   return value
end

return elements

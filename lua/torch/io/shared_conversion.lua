-- Conversions of tensors to another type that preserve aliasing among them; conversion of an object from a device to
-- the CPU, as by torch.load(path, { cuda = 'double' }).

local types = require 'torch.base.types'
local torch

local shared_conversion = {}

-- Returns convert(value, name, cache), computed once per value, which the cache keeps: its address is the key.
local function once(convert)
   return function(value, name, cache)
      torch = torch or require 'torch'
      local key = torch.pointer(value)
      cache[key] = cache[key] or { convert(value, name, cache), value }
      return cache[key][1]
   end
end

-- A storage, or a tensor, converted to the type of the tensor type `name`; `cache` is a table for all calls.
shared_conversion.storage = once(function(storage, name)
   return torch.getmetatable((string.gsub(name, 'Tensor$', 'Storage'))).new(storage:size()):copy(storage)
end)

shared_conversion.tensor = once(function(value, name, cache)
   local made, storage = torch.getmetatable(name).new(), value:storage()
   if not storage then return made end
   local size, stride = torch.LongStorage(), torch.LongStorage()
   if value:dim() > 0 then size, stride = value:size(), value:stride() end
   return made:set(shared_conversion.storage(storage, name, cache), value:storageOffset(), size, stride)
end)

-- The types on the CPU that floating-point tensors of a device are converted to.
local CPU_NAMES = { float = 'torch.FloatTensor', double = 'torch.DoubleTensor' }
shared_conversion.CPU_NAMES = CPU_NAMES

-- The type name of tensors on the CPU for a type of the device, nil for other types. Integers stay integers.
local function name_for(T, wanted)
   if not T or not T.base then return nil end
   local name = T.base.name
   return (name == 'Float' or name == 'Double' or name == 'Half') and CPU_NAMES[wanted] or T.base.tensor_name
end

local function convert(value, wanted, cache, pending)
   local kind = type(value)
   if kind == 'cdata' then
      local tensor, storage = types.of_tensor(value), types.of_storage(value)
      local name = name_for(tensor or storage, wanted)
      if not name then return value end
      return shared_conversion[tensor and 'tensor' or 'storage'](value, name, cache)
   elseif kind == 'string' then
      -- Modules keep the name of their type.
      return name_for(types.by_typename[value], wanted) or value
   elseif kind == 'table' and not cache[value] then
      cache[value] = true
      pending[#pending + 1] = value
   end
   return value
end

-- Converts an object and everything it refers to, tables in place; `wanted` is 'float' or 'double'.
function shared_conversion.from_device(object, wanted)
   local cache, pending = {}, {}
   object = convert(object, wanted, cache, pending)
   while #pending > 0 do
      local t = pending[#pending]
      pending[#pending] = nil
      for key, value in next, t do
         local made = convert(value, wanted, cache, pending)
         -- Existing fields may be assigned during traversal.
         if type(made) ~= 'string' or key == '_type' then rawset(t, key, made) end
      end
   end
   return object
end

return shared_conversion

-- Conversions of several tensors to another type that preserve aliasing.

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

return shared_conversion

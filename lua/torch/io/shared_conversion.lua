-- Tensors as another type, several after each other: what shares memory still does.

local torch

local shared_conversion = {}

-- A copy of a storage in another type of tensors.
local function convert_storage(storage, name)
   return torch.getmetatable((string.gsub(name, 'Tensor$', 'Storage'))).new(storage:size()):copy(storage)
end

-- The storage that takes the place of another one. The old one is kept with it: its address stands for it as long as
-- the cache lives.
function shared_conversion.storage(storage, name, cache)
   torch = torch or require 'torch'
   local key = torch.pointer(storage)
   local kept = cache[key]
   if not kept then
      kept = { convert_storage(storage, name), storage }
      cache[key] = kept
   end
   return kept[1]
end

-- The tensor that takes the place of another one; `name` is the type name of a tensor, `cache` a table that is kept
-- from call to call.
function shared_conversion.tensor(value, name, cache)
   torch = torch or require 'torch'
   local key = torch.pointer(value)
   local kept = cache[key]
   if not kept then
      local made = torch.getmetatable(name).new()
      local storage = value:storage()
      if storage then
         local size, stride = torch.LongStorage(), torch.LongStorage()
         if value:dim() > 0 then size, stride = value:size(), value:stride() end
         made:set(shared_conversion.storage(storage, name, cache), value:storageOffset(), size, stride)
      end
      kept = { made, value }
      cache[key] = kept
   end
   return kept[1]
end

return shared_conversion

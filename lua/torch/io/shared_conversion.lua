-- Conversions of several tensors to another type: those that alias still do.

local torch

local shared_conversion = {}

local function convert_storage(storage, name)
   return torch.getmetatable((string.gsub(name, 'Tensor$', 'Storage'))).new(storage:size()):copy(storage)
end

-- The converted storage of another one, which is kept too: its address is its key as long as the cache lives.
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

-- The converted tensor of another one; `name` is the type name of a tensor, `cache` a table for all calls.
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

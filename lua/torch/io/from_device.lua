-- Conversion of objects saved from a device to the CPU: torch.load(path, { cuda = 'double' }).

local shared_conversion = require 'torch.io.shared_conversion'
local types = require 'torch.base.types'

local NAMES = { float = 'torch.FloatTensor', double = 'torch.DoubleTensor' }

local from_device = { NAMES = NAMES }

-- The type name of tensors on the CPU for a type of the device, nil for other types. Integers stay integers.
local function name_for(T, wanted)
   if not T or not T.base then return nil end
   local name = T.base.name
   return (name == 'Float' or name == 'Double' or name == 'Half') and NAMES[wanted] or T.base.tensor_name
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
function from_device.convert(object, wanted)
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

return from_device

-- Operations on HalfTensors, which Torch7 did not have: computed in single precision and rounded once.

local dimension_names, types = require 'torch.base.dimension_names', require 'torch.base.types'
local finish_trace = require('torch.jit.trace').finish
local Half, Float = types.by_name.Half, types.by_name.Float
local of_tensor = types.of_tensor

local half_fallback = {}

-- Replaces each tensor among `values` by convert(value, T), computed once; nil keeps it. `converted` lists each tensor,
-- followed by its replacement.
function half_fallback.replace(values, count, converted, convert)
   for i = 1, count do
      local value, found = values[i], nil
      local T = of_tensor(value)
      for k = 1, T and #converted or 0, 2 do
         if rawequal(converted[k], value) then found = converted[k + 1] end
      end
      if T and not found then
         found = convert(value, T)
         if found then converted[#converted + 1], converted[#converted + 2] = value, found end
      elseif not T and type(value) == 'table' and of_tensor(value[1]) then
         found = { unpack(value) }
         half_fallback.replace(found, #found, converted, convert)
      end
      values[i] = found or value
   end
end

local function widened(value, T) return T == Half and Half.tensor_methods.float(value) or nil end

local function narrowed(value, converted)
   if of_tensor(value) ~= Float then return value end
   for k = 1, #converted, 2 do
      if rawequal(converted[k + 1], value) then
         Half.resize_as(converted[k], value)
         if value._dim > 0 then Half.copy_from(converted[k], Float, value) end
         return dimension_names.take(converted[k], value)
      end
   end
   return Float.tensor_methods.half(value)
end

local function finish(converted, good, ...)
   if not good then
      local message = ...
      error(type(message) == 'string' and (string.gsub(message, 'FloatTensor', 'HalfTensor')) or message, 0)
   end
   local results = { ... }
   for i = 1, select('#', ...) do results[i] = narrowed(results[i], converted) end
   return unpack(results, 1, select('#', ...))
end

function half_fallback.wrap(f)
   return function(...)
      finish_trace()
      local given, converted = { ... }, {}
      half_fallback.replace(given, select('#', ...), converted, widened)
      return finish(converted, pcall(f, unpack(given, 1, select('#', ...))))
   end
end

return half_fallback

-- Operations on HalfTensors, which Torch7 did not have: computed in single precision and rounded once.

local dimension_names, types = require 'torch.base.dimension_names', require 'torch.base.types'
local finish_trace = require('torch.jit.trace').finish
local Half, Float = types.by_name.Half, types.by_name.Float
local of_tensor = types.of_tensor

local half_fallback = {}

-- Replaces the HalfTensors among `values` by FloatTensors, the same one by the same one, and notes the pairs.
local function widen(values, count, pairs_made)
   for i = 1, count do
      local value = values[i]
      if of_tensor(value) == Half then
         local copy
         for _, pair in ipairs(pairs_made) do
            if rawequal(pair.half, value) then copy = pair.float end
         end
         if not copy then
            copy = Half.tensor_methods.float(value)
            pairs_made[#pairs_made + 1] = { half = value, float = copy }
         end
         values[i] = copy
      elseif type(value) == 'table' and of_tensor(value[1]) == Half then
         local list = { unpack(value) }
         widen(list, #list, pairs_made)
         values[i] = list
      end
   end
end

local function narrow(value, pairs_made)
   if of_tensor(value) ~= Float then return value end
   for _, pair in ipairs(pairs_made) do
      if rawequal(pair.float, value) then
         Half.resize_as(pair.half, value)
         if value._dim > 0 then Half.copy_from(pair.half, Float, value) end
         return dimension_names.take(pair.half, value)
      end
   end
   return Float.tensor_methods.half(value)
end

local function finish(pairs_made, good, ...)
   if not good then
      local message = ...
      error(type(message) == 'string' and (message:gsub('FloatTensor', 'HalfTensor')) or message, 0)
   end
   local results = { ... }
   for i = 1, select('#', ...) do results[i] = narrow(results[i], pairs_made) end
   return unpack(results, 1, select('#', ...))
end

-- The operation for HalfTensors from that for FloatTensors.
function half_fallback.wrap(f)
   return function(...)
      finish_trace()
      local given, pairs_made = { ... }, {}
      widen(given, select('#', ...), pairs_made)
      return finish(pairs_made, pcall(f, unpack(given, 1, select('#', ...))))
   end
end

return half_fallback

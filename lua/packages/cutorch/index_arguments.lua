-- Indices and masks of types that the signatures of operations do not name: host tensors, which programs keep when a
-- network moves to the device, and tensors of the element type, which GPUs accepted.

local types = require 'torch.base.types'
local of_tensor = types.of_tensor

local index_arguments = {}

-- The names of the device's types for those of the host.
local of_host = { Long = 'torch.CudaLongTensor', Byte = 'torch.CudaByteTensor' }
local of_letter = { L = 'torch.CudaLongTensor', B = 'torch.CudaByteTensor' }

-- The program's result tensor instead of its copy on the device.
local function settled(result, given, made, count)
   for i = 1, count do
      if made[i] and rawequal(result, made[i]) then
         local t = given[i]
         return t:resize(result:size()):copy(result)
      end
   end
   return result
end

local function try(enter, fallback, given, made, count)
   local arguments = {}
   for i = 1, count do
      if made[i] then arguments[i] = made[i] else arguments[i] = given[i] end
   end
   local first, second = enter(count, unpack(arguments, 1, count))
   if first == fallback then return fallback end
   return settled(first, given, made, count), settled(second, given, made, count)
end

-- Retries enter(count, ...) of an operation on tensors of T with copies of such arguments; `letters` are those of its
-- signatures. Returns `fallback` if there are none, or the call still does not match.
function index_arguments.retry(enter, fallback, T, letters, count, ...)
   local given, made, last = { ... }, {}, nil
   for i = 1, count do
      local S = type(given[i]) == 'cdata' and of_tensor(given[i])
      local name = S and not S.base and of_host[S.name]
      if name and given[i]:nElement() > 0 then made[i] = given[i]:type(name) end
      if name and not made[i] then made[i] = types.by_typename[name].new_tensor() end
      if S == T and i > 1 then last = i end
   end
   if next(made) then
      local first, second = try(enter, fallback, given, made, count)
      if first ~= fallback then return first, second end
   end
   if T.integer then return fallback end
   for i = last or 0, 2, -1 do
      local value = given[i]
      if type(value) == 'cdata' and of_tensor(value) == T then
         for letter, name in pairs(of_letter) do
            if letters[letter] then
               local empty = value:nElement() == 0
               made[i] = empty and types.by_typename[name].new_tensor() or value:type(name)
               local first, second = try(enter, fallback, given, made, count)
               if first ~= fallback then return first, second end
               made[i] = nil
            end
         end
      end
   end
   return fallback
end

return index_arguments

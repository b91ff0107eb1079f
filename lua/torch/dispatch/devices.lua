-- Types of other devices, such as torch.CudaTensor, by the memory and kernels of the base type: an operation gets views
-- of it, and its results become tensors of the device without a copy. They are created when a program first names one.

local check, dimension_names = require 'torch.base.check', require 'torch.base.dimension_names'
local device_buffers, placement = require 'torch.memory.device_buffers', require 'torch.memory.placement'
local on_host = device_buffers.on_host
local signatures, geometry = require 'torch.base.signatures', require 'torch.base.geometry'
local half_fallback = require 'torch.dispatch.half_fallback'
local mersenne_twister, types = require 'torch.random.mersenne_twister', require 'torch.base.types'
local finish_trace = require('torch.jit.trace').finish
local istype, of_tensor = require('ffi').istype, types.of_tensor

-- `backend` computes on a device, see cutorch/backend.lua; without one the CPU does. `copy_async`(t, source) starts a
-- copy, or returns false; `upload`(t, T, source, goes_on) copies from the host.
local devices = { generator = nil, backend = nil, copy_async = nil, upload = nil }

-- A view of t of the base type; nil for a tensor that is not on a device.
local function lowered(t, T)
   if not T.base then return nil end
   on_host(t)
   return dimension_names.take(T.base.set_tensor(T.base.new_tensor(), t), t)
end

local function differ(t, below)
   if t._memory ~= below._memory or t._offset ~= below._offset or not geometry.same_size(t, below) then return true end
   for d = 0, t._dim - 1 do
      if t._stride[d] ~= below._stride[d] then return true end
   end
   return false
end

-- The result that a program sees: the tensor that it passed, or a new one of the device.
local function raised(value, made)
   local T = of_tensor(value)
   if not T then
      if type(value) == 'table' then
         for key, inner in pairs(value) do value[key] = raised(inner, made) end
      end
      return value
   end
   for k = 1, #made, 2 do
      if rawequal(made[k + 1], value) then return made[k] end
   end
   local S = T.on_device
   if not S then return value end
   local t = dimension_names.take(S.set_tensor(S.new_tensor(), value), value)
   -- The result is new, or shares the memory of an argument on the device.
   if placement.chosen ~= placement.first and t._memory ~= nil then placement.note(S.shared_owner(t)) end
   return t
end

-- Copies changed sizes and memory of the results back to the tensors of the device.
local function settle(made)
   for k = 1, #made, 2 do
      local t, below = made[k], made[k + 1]
      if differ(t, below) then of_tensor(t).set_tensor(t, below) end
      dimension_names.take(t, below)
   end
end

local function names_of_device(message)
   if type(message) ~= 'string' then return message end
   return (string.gsub(message, '(%u%l+)Tensor', function(name)
      local T = types.by_name[name]
      return T and T.on_device and T.on_device.title .. 'Tensor'
   end))
end

local function finish(made, ok, ...)
   if not ok then error(names_of_device((...)), 0) end
   settle(made)
   local first, second = ...
   local count = select('#', ...)
   if count <= 1 then return raised(first, made) end
   if count == 2 then return raised(first, made), raised(second, made) end
   local results = { ... }
   for i = 1, count do results[i] = raised(results[i], made) end
   return unpack(results, 1, count)
end

-- Writes a result that was computed into a tensor of another type into the program's tensor.
local function write_back(results, converted, value)
   for k = 2, 4 do
      if rawequal(results[k], converted) then
         value:resize(converted:size()):copy(converted)
         results[k] = value
      end
   end
   return unpack(results, 1, 4)
end

-- Indices and masks may have any type on a device, where the signatures of an operation require Long- or ByteTensors:
-- the call is retried with one argument converted, the last one first.
local function retry(f, letters, given, count, made, ok, ...)
   local message = ...
   if ok or not (letters.L or letters.B) or not string.find(message, 'invalid arguments', 1, true) then
      return finish(made, ok, ...)
   end
   for i = count, 2, -1 do
      local value = given[i]
      if of_tensor(value) then
         for letter, convert in pairs { L = 'long', B = 'byte' } do
            if letters[letter] then
               local converted = value[convert](value)
               given[i] = converted
               local results = { pcall(f, unpack(given, 1, count)) }
               if results[1] then return finish(made, write_back(results, converted, value)) end
               local reason = results[2]
               if not string.find(reason, 'invalid arguments', 1, true) then return finish(made, false, reason) end
            end
         end
         given[i] = value
      end
   end
   return finish(made, false, message)
end

-- The letters of the signatures of a row, and whether it draws random numbers.
function devices.letters_of(row)
   local letters, draws = {}, false
   for i = 2, #row do
      for _, slot in ipairs(signatures.parse(row[i][1])) do letters[slot.letter] = true end
      draws = draws or string.find(row[i][1], '^R %[G%]') ~= nil
   end
   return letters, draws
end

-- The operation of a row for a device type, as a method or a function, from `f`, that of the type below.
function devices.wrap(row, T, f, call)
   local letters, draws = devices.letters_of(row)
   local function on_cpu(...)
      finish_trace()
      local count, made = select('#', ...), {}
      local given = { ... }
      -- The device has its own random numbers.
      if draws and of_tensor(given[1]) and not istype(mersenne_twister.generator_ct, given[2])
         and devices.generator then
         for i = count, 2, -1 do given[i + 1] = given[i] end
         given[2], count = devices.generator, count + 1
      end
      half_fallback.replace(given, count, made, lowered)
      return retry(f, letters, given, count, made, pcall(f, unpack(given, 1, count)))
   end
   return devices.backend and devices.backend(row, T, call, on_cpu) or on_cpu
end

-- The device that holds the memory of a tensor or storage; 0 if there is none.
local function device_of(object)
   if not types.of_tensor(object) and not types.of_storage(object) then
      check.argument_error('getDevice', 'the object', 'a tensor or storage before the colon', object)
   end
   return object._memory ~= nil and device_buffers.number_of(object) or 0
end

-- A copy that may return before the elements arrive.
local function copy_async(t, source)
   if devices.copy_async and devices.copy_async(t, source) then return t end
   return t:copy(source)
end

-- Declares the types, adds their constructors to torch by add(T), and methods such as x:cuda() to all tensors.
function devices.load(add)
   if types.by_name.Cuda then return end
   types.declare_devices()
   for _, T in ipairs(types.device_rows) do add(T) end
   for _, T in ipairs(types.device_rows) do
      local function convert(t) return t:type(T.tensor_name) end
      local method = string.lower(string.sub(T.title, 1, 1)) .. string.sub(T.title, 2)
      for _, list in ipairs { types.rows, types.device_rows } do
         for _, S in ipairs(list) do rawset(S.tensor_methods_facade, method, convert) end
      end
      rawset(T.tensor_methods_facade, 'getDevice', device_of)
      rawset(T.storage_methods_facade, 'getDevice', device_of)
   end
   for _, list in ipairs { types.rows, types.device_rows } do
      for _, S in ipairs(list) do rawset(S.tensor_methods_facade, 'copyAsync', copy_async) end
   end
end

return devices

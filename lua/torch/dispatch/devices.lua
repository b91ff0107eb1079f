-- Types of other devices, such as torch.CudaTensor, over the memory and the kernels of a base type: an operation gets
-- views of the base type, and its results become tensors of the device without a copy. The types are created when a
-- program first names one.

local check, dimension_names = require 'torch.base.check', require 'torch.base.dimension_names'
local device_buffers, placement = require 'torch.memory.device_buffers', require 'torch.memory.placement'
local on_host = device_buffers.on_host
local signatures, geometry = require 'torch.base.signatures', require 'torch.base.geometry'
local half_fallback = require 'torch.dispatch.half_fallback'
local mersenne_twister, types = require 'torch.random.mersenne_twister', require 'torch.base.types'
local finish_trace = require('torch.jit.trace').finish
local istype, of_tensor = require('ffi').istype, types.of_tensor

-- `backend` computes on a device, see cutorch/backend.lua; without one the CPU does. `copy_async`(t, source) starts a
-- copy, or returns false; `upload`(t, T, source, non_blocking) copies from the host.
local devices = { generator = nil, backend = nil, copy_async = nil, upload = nil }

-- A view of t of the base type; nil for a tensor that is not on a device.
local function base_view(t, T)
   if not T.base then return nil end
   on_host(t)
   return dimension_names.take(T.base.set_tensor(T.base.new_tensor(), t), t)
end

-- The result that the program sees: the tensor that it passed, or a new one of the device type. `views` lists the
-- tensors of the call, each followed by its base view.
local function device_result(value, views)
   local T = of_tensor(value)
   if not T then
      if type(value) == 'table' then
         for key, inner in pairs(value) do value[key] = device_result(inner, views) end
      end
      return value
   end
   for k = 1, #views, 2 do
      if rawequal(views[k + 1], value) then return views[k] end
   end
   local S = T.on_device
   if not S then return value end
   local t = dimension_names.take(S.set_tensor(S.new_tensor(), value), value)
   -- The result is new, or shares the memory of an argument on the device.
   if placement.current ~= placement.first and t._memory ~= nil then placement.record(S.shared_owner(t)) end
   return t
end

-- Copies sizes and memory of the base views that have changed back to the tensors of the device.
local function copy_back(views)
   for k = 1, #views, 2 do
      local t, view = views[k], views[k + 1]
      if not geometry.same_view(t, view) then of_tensor(t).set_tensor(t, view) end
      dimension_names.take(t, view)
   end
end

local function with_device_names(message)
   if type(message) ~= 'string' then return message end
   return (string.gsub(message, '(%u%l+)Tensor', function(name)
      local T = types.by_name[name]
      return T and T.on_device and T.on_device.title .. 'Tensor'
   end))
end

local function finish(views, ok, ...)
   if not ok then error(with_device_names((...)), 0) end
   copy_back(views)
   local first, second = ...
   local count = select('#', ...)
   if count <= 1 then return device_result(first, views) end
   if count == 2 then return device_result(first, views), device_result(second, views) end
   local results = { ... }
   for i = 1, count do results[i] = device_result(results[i], views) end
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
-- the call is retried with one argument converted, starting from the last one.
local function retry_converted(f, letters, given, count, views, ok, ...)
   local message = ...
   if ok or not (letters.L or letters.B) or not string.find(message, 'invalid arguments', 1, true) then
      return finish(views, ok, ...)
   end
   for i = count, 2, -1 do
      local value = given[i]
      if of_tensor(value) then
         for letter, convert in pairs { L = 'long', B = 'byte' } do
            if letters[letter] then
               local converted = value[convert](value)
               given[i] = converted
               local results = { pcall(f, unpack(given, 1, count)) }
               if results[1] then return finish(views, write_back(results, converted, value)) end
               local reason = results[2]
               if not string.find(reason, 'invalid arguments', 1, true) then return finish(views, false, reason) end
            end
         end
         given[i] = value
      end
   end
   return finish(views, false, message)
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

-- The operation of a row for a device type, as a method or a function, from `f`, that of the base type.
function devices.wrap(row, T, f, call)
   local letters, draws = devices.letters_of(row)
   local function on_cpu(...)
      finish_trace()
      local count, views = select('#', ...), {}
      local given = { ... }
      -- The device has its own random numbers.
      if draws and of_tensor(given[1]) and not istype(mersenne_twister.generator_ct, given[2])
         and devices.generator then
         for i = count, 2, -1 do given[i + 1] = given[i] end
         given[2], count = devices.generator, count + 1
      end
      half_fallback.replace(given, count, views, base_view)
      return retry_converted(f, letters, given, count, views, pcall(f, unpack(given, 1, count)))
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

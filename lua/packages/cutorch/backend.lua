-- Device types on a device of PyTorch: their operations, by the kernels of operations/results.lua, and their methods.
-- Operations without a kernel run on the CPU, on the same memory once it is copied there.

local device_buffers, geometry = require 'torch.memory.device_buffers', require 'torch.base.geometry'
local devices, install = require 'torch.dispatch.devices', require 'torch.dispatch.install'
local layers, overloads = require 'torch.dispatch.layers', require 'torch.dispatch.overloads'
local placement = require 'torch.memory.placement'
local operations, types = require 'cutorch.operations', require 'torch.base.types'
local letters_of, methods = devices.letters_of, require 'cutorch.methods'
local retry = require('cutorch.index_arguments').retry
local finish_trace = require('torch.jit.trace').finish
local count_fallback, on_host, read_on_host = device_buffers.count_fallback, device_buffers.on_host,
   device_buffers.read_on_host
local of_storage, of_tensor = types.of_storage, types.of_tensor
local fallback, check_current_device = operations.fallback, device_buffers.check_current_device

local backend = {}

-- The cases of a row that the device has kernels for.
local function cases_of(row, T, call)
   local cases = {}
   for i = 2, #row do
      local case = row[i]
      if (not case.only or case.only == call) and install.is_own({ types = case.types }, T) then
         local make = operations.factories[case[2]]
         local f = make { T = T, options = case[3] or row, signature = case[1], call = call, name = row[1] }
         if f then cases[#cases + 1] = { case[1], f, several = case.several } end
      end
   end
   return cases
end

local function is_of_device(object)
   local T = type(object) == 'cdata' and (of_tensor(object) or of_storage(object))
   return T and T.base ~= nil
end

-- Whether there is a tensor of a device among the arguments, also in a list: calls without one copy nothing.
local function any_of_device(count, ...)
   for i = 1, count do
      local value = select(i, ...)
      if is_of_device(value) or type(value) == 'table' and is_of_device(rawget(value, 1)) then return true end
   end
   return false
end

-- Raises unless the operands, also those in lists, are on the current device.
local function check_devices(name, count, ...)
   for i = 1, count do
      local value = select(i, ...)
      if is_of_device(value) then
         check_current_device(name, i, value)
      elseif type(value) == 'table' then
         for _, inner in ipairs(value) do
            if is_of_device(inner) then check_current_device(name, i, inner) end
         end
      end
   end
end

-- The operation of a row for a device type, which falls back to `on_cpu` if the device has no kernel for a call.
function backend.operation(row, T, call, on_cpu)
   local name = install.label(row)
   local function fall_back(...)
      if any_of_device(select('#', ...), ...) then count_fallback(name) end
      if placement.several then check_devices(name, select('#', ...), ...) end
      return on_cpu(...)
   end
   -- Layers change the kernels of the CPU.
   if row.package.name ~= 'torch' or row.custom or layers.change_kernels() or geometry.columns
      or not install.is_own(row, T) then
      return fall_back
   end
   local cases = cases_of(row, T, call)
   if #cases == 0 then return fall_back end
   local enter = overloads.entry(name, T, call, cases, nil, function() return fallback end)
   local letters = letters_of(row)
   local has_indices = letters.L or letters.B
   return function(...)
      finish_trace()
      if placement.several then check_devices(name, select('#', ...), ...) end
      local first, second = enter(select('#', ...), ...)
      if first == fallback and has_indices then
         first, second = retry(enter, fallback, T, letters, select('#', ...), ...)
      end
      if first == fallback then return fall_back(...) end
      if second == nil then return first end
      return first, second
   end
end

-- Methods that do not access elements.
local WITHOUT_ELEMENTS = {}
for name in string.gmatch([[dim nDimension nElement numel size stride storage storageOffset elementSize isContiguous
   isSameSizeAs isSize isSetTo isTensor retain free select narrow sub transpose t unfold expand expandAs unsqueeze view
   viewAs permute set resize resizeAs new split chunk __len__ getDevice]], '%S+') do
   WITHOUT_ELEMENTS[name] = true
end
-- Methods that read elements but write none.
local READERS = {}
for name in string.gmatch([[totable __tostring__ write type typeAs double float half long int short char byte real cuda
   cudaDouble cudaHalf cudaLong cudaInt cudaShort cudaChar cudaByte clone contiguous repeatTensor]], '%S+') do
   READERS[name] = true
end

local function each_of_device(act, count, ...)
   for i = 1, count do
      local object = select(i, ...)
      if is_of_device(object) then act(object) end
   end
end

-- The CPU's f on the host memory of its arguments.
local function on_the_host(f, name)
   local reads = READERS[name]
   return function(...)
      finish_trace()
      each_of_device(reads and read_on_host or on_host, select('#', ...), ...)
      return f(...)
   end
end

-- Methods that call functions of the program, which may use the device meanwhile.
local CALLING = { apply = true, map = true, map2 = true }

local function with_calls(f)
   return function(...)
      finish_trace()
      local count = select('#', ...)
      each_of_device(on_host, count, ...)
      local result = f(...)
      each_of_device(on_host, count, ...)
      return result
   end
end

local layer = { order = 0 }

function layer.method(f, T, name)
   if not T.base or WITHOUT_ELEMENTS[name] or install.is_made(f, name) then return f end
   if CALLING[name] then return with_calls(f) end
   local make = methods[name]
   local plain = on_the_host(f, name)
   return make and make(T, f, plain) or plain
end

-- Operators call operations, except for indexing.
function layer.operator(f, T, event)
   if not T.base then return f end
   if event == '__index' or event == '__newindex' then return methods[event](T, f, on_the_host(f, event)) end
   return f
end

-- Wraps the methods of storages that access elements.
local function guard_storages(T)
   local list, operators = T.storage_methods, T.storage_operators
   for name, f in pairs(list) do
      if type(f) == 'function' and not WITHOUT_ELEMENTS[name] then list[name] = on_the_host(f, name) end
   end
   local index, newindex = operators.__index, operators.__newindex
   function operators.__index(storage, key)
      if type(key) == 'string' then return index(storage, key) end
      read_on_host(storage)
      return (index(storage, key))
   end
   function operators.__newindex(storage, key, value)
      on_host(storage)
      newindex(storage, key, value)
   end
end

-- Lets device types compute on the device that was opened.
function backend.install()
   device_buffers.active, devices.backend = true, backend.operation
   for _, T in ipairs(types.device_rows) do guard_storages(T) end
   layers.add(layer)
end

return backend

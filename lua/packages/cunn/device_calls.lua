-- Building blocks of device methods of modules, see device_modules.lua: views, results, and falling back to the class.

local device_buffers, geometry = require 'torch.memory.device_buffers', require 'torch.base.geometry'
local host, types = require('torch.native.host').of 'cutorch', require 'torch.base.types'
local expect, placement = require 'nn.checks.expect', require 'torch.memory.placement'
local contiguous, numel = geometry.contiguous, geometry.numel
local of_tensor, assign, mark_written = types.of_tensor, device_buffers.assign, device_buffers.mark_written

local device_calls = {}

-- The result of a method that falls back to the class's own.
local fallback = {}

local functions = {}

-- Calls a function of t7shell/packages/cutorch/modules.py.
function device_calls.call(name, ...)
   functions[name] = functions[name] or host.function_of(name)
   return device_buffers.with_memory(name, functions[name], ...)
end

-- Falls back unless a condition holds.
function device_calls.need(condition)
   if not condition then error(fallback, 0) end
end
local need = device_calls.need

-- The view of a tensor of the type that has elements.
function device_calls.view(T, t)
   need(of_tensor(t) == T and numel(t) > 0)
   local view = device_buffers.view(t, T)
   need(view)
   return view
end

function device_calls.view_or_nil(T, t) return t ~= nil and device_calls.view(T, t) or nil end

-- t with the elements of a result of PyTorch.
function device_calls.give(T, t, result)
   need(result and of_tensor(t) == T)
   T.resize_to(t, { host.sizes(result) })
   assign(t, T, result)
   return t
end

-- Marks tensors as changed if PyTorch accumulated into them.
function device_calls.changed(T, done, ...)
   need(done)
   for i = 1, select('#', ...) do
      local t = select(i, ...)
      if t ~= nil then mark_written(t, T) end
   end
end

-- r in the sizes of x, with new memory.
function device_calls.like(T, r, x)
   need(of_tensor(r) == T)
   T.resize_as(r, x)
   if not contiguous(r) then T.set_tensor(r, T.new_like(r)) end
   return r
end

-- Raises unless the input and the weight of a module are on the current device.
local function check_device(self, x)
   local name, weight = expect.name(self), self.weight
   device_buffers.check_current_device(name, 1, x)
   local W = of_tensor(weight)
   if W and W.base then device_buffers.check_current_device(name .. '.weight', 1, weight) end
end

-- A method that is tried on the device first. `any_type` allows inputs of other types than the module's.
function device_calls.tried(on_cpu, method, any_type)
   return function(self, input, ...)
      local first = type(input) == 'table' and input[1] or input
      local T = of_tensor(first)
      if T and T.base and T.name ~= 'Half' and numel(first) > 0
         and (any_type or self._type == nil or T.tensor_name == self._type) then
         if placement.several then check_device(self, first) end
         local ok, a, b = pcall(method, self, T, input, ...)
         if ok and b == nil then return a end
         if ok then return a, b end
         if a ~= fallback then error(a, 0) end
      end
      return on_cpu(self, input, ...)
   end
end

return device_calls

-- Methods of device tensors that run on the device: methods[name](T, f, on_the_host) returns a replacement of f, where
-- `on_the_host` is f after the elements were copied.

local device_buffers, geometry = require 'torch.memory.device_buffers', require 'torch.base.geometry'
local devices = require 'torch.dispatch.devices'
local finish_trace = require('torch.jit.trace').finish
local operation, types = require('cutorch.operations.parts').operation, require 'torch.base.types'
local contiguous, numel, same_size = geometry.contiguous, geometry.numel, geometry.same_size
local is_on_device, mark_written = device_buffers.is_on_device, device_buffers.mark_written
local result_view, view = device_buffers.result, device_buffers.view
local adopt, no_overlap, of_tensor = device_buffers.adopt, device_buffers.no_overlap, types.of_tensor

local methods = {}

local run = require 'torch.jit.lazy_table'(operation)

-- Copies within the device if the source is current there; false if the host has to do it.
local function copy_on_device(t, T, source, S)
   if not S or not S.base or t._memory == source._memory or not same_size(t, source) or numel(t) == 0
      or not is_on_device(source) or not no_overlap(t) then
      return false
   end
   if S ~= T and (S.integer ~= T.integer or T.integer) then return false end
   local x = view(source, S)
   local z = x and result_view(t, T)
   if not z or not run.copy(z, x) then return false end
   mark_written(t, T)
   return true
end

-- Copies from the host to memory on the device, whose old elements need not be downloaded first.
local function copy_from_host(t, T, source, S)
   if not S or S.base or not is_on_device(t) or not same_size(t, source) or numel(t) == 0 or not contiguous(t) then
      return false
   end
   if S ~= T.base then source = source:type(T.base.tensor_name) end
   return devices.upload(t, T, source:contiguous(), false)
end

function methods.copy(T, _, on_the_host)
   return function(t, source, ...)
      finish_trace()
      local S = of_tensor(source)
      if of_tensor(t) == T and (copy_on_device(t, T, source, S) or copy_from_host(t, T, source, S)) then return t end
      return on_the_host(t, source, ...)
   end
end

function methods.clone(T, _, on_the_host)
   return function(t, ...)
      finish_trace()
      if of_tensor(t) ~= T or not is_on_device(t) or numel(t) == 0 then return on_the_host(t, ...) end
      local x = view(t, T)
      if not x then return on_the_host(t, ...) end
      local made, r = run.clone(x), T.new_like(t)
      adopt(r, T, made)
      return r
   end
end

function methods.contiguous(T, _, on_the_host)
   local clone = methods.clone(T, nil, on_the_host)
   return function(t, ...)
      if of_tensor(t) == T and contiguous(t) then return t end
      return clone(t, ...)
   end
end

-- Up to this many elements that are current on the host are filled there, which is faster than a device call.
local FEW = 4096

local function fill_on_device(t, T, value)
   local count = numel(t)
   if count == 0 or count <= FEW and not is_on_device(t) or T.name == 'Half' or T.integer and value % 1 ~= 0 then
      return false
   end
   if not no_overlap(t) then return false end
   local z = result_view(t, T)
   if not z or not run.fill(z, value) then return false end
   mark_written(t, T)
   return true
end

function methods.fill(T, _, on_the_host)
   return function(t, value, more)
      finish_trace()
      if of_tensor(t) == T and type(value) == 'number' and type(more) == 'nil' and fill_on_device(t, T, value) then
         return t
      end
      return on_the_host(t, value, more)
   end
end

function methods.zero(T, _, on_the_host)
   return function(t, more)
      finish_trace()
      if of_tensor(t) == T and type(more) == 'nil' and fill_on_device(t, T, 0) then return t end
      return on_the_host(t, more)
   end
end

-- The type's name, or the tensor in another type, in which case the elements are copied.
function methods.type(T, f, on_the_host)
   return function(t, wanted)
      if type(wanted) == 'nil' or wanted == T.tensor_name then return f(t, wanted) end
      return on_the_host(t, wanted)
   end
end

function methods.__index(_, f, on_the_host)
   return function(t, key)
      if type(key) == 'string' and not tonumber(key) then return (f(t, key)) end
      if type(key) == 'number' then
         if t._dim > 1 then return (f(t, key)) end
         finish_trace()
         local index = math.floor(key)
         if t._dim == 1 and index >= 1 and index <= t._size[0] and is_on_device(t) then
            return (device_buffers.element(t, t._offset + (index - 1) * t._stride[0]))
         end
      end
      return (on_the_host(t, key))
   end
end

function methods.__newindex(T, _, on_the_host)
   return function(t, key, value)
      finish_trace()
      local number = type(value) == 'number'
      if type(key) == 'number' and t._dim == 1 and number and not T.integer and T.name ~= 'Half' then
         local index = math.floor(key)
         if index >= 1 and index <= t._size[0] and is_on_device(t) then
            device_buffers.set_element(t, t._offset + (index - 1) * t._stride[0], value)
            return
         end
      elseif type(key) == 'number' and t._dim > 1 and key >= 1 and math.floor(key) <= t._size[0] then
         -- A row, set by methods.
         local row = T.select_view(t, 0, math.floor(key) - 1)
         if number then
            T.tensor_methods.fill(row, value)
            return
         elseif of_tensor(value) and rawequal(of_tensor(value), T) then
            T.tensor_methods.copy(row, value)
            return
         end
      end
      on_the_host(t, key, value)
   end
end

return methods

-- Operations that the CPU computed for the device, and host memory that the device can access.

local torch = require 'torch'
local ffi = require 'ffi'
local buffers, device_buffers = require 'torch.memory.buffers', require 'torch.memory.device_buffers'
local geometry, types = require 'torch.base.geometry', require 'torch.base.types'
local address_of, host = require('torch.native.native').address_of, require('torch.native.host').of 'cutorch'
local cast, contiguous, numel, same_size = ffi.cast, geometry.contiguous, geometry.numel, geometry.same_size
local of_tensor = types.of_tensor

return function(cutorch, devices, pytorch_device)
   -- fallbacks()[name] = the number of operations, method calls that access elements, or modules that the CPU computed
   -- for the device since the last call with `true`, which resets the counts.
   function cutorch.fallbacks(reset)
      local counted = device_buffers.fallbacks
      if reset then device_buffers.fallbacks = {} end
      local copy = {}
      for name, count in pairs(counted) do copy[name] = count end
      return copy
   end

   function cutorch.isCachingAllocatorEnabled() return pytorch_device ~= nil end

   -- A host tensor that copyAsync copies while the program continues. If PyTorch computes, its memory cannot grow.
   local function new_pinned(T, ...)
      local t = torch[T.name .. 'Tensor'](...)
      local count = t:nElement()
      if not pytorch_device or count == 0 then return t end
      local keeper, address = host.pinned(T.dtype, count)
      local owner = buffers.foreign(T, cast(T.pointer_ct, cast('intptr_t', address)), count, keeper)
      return torch[T.name .. 'Tensor'](T.wrap_storage(owner), 1, t:size()):copy(t)
   end

   for _, T in ipairs(types.rows) do
      cutorch['createCudaHost' .. T.name .. 'Tensor'] = function(...) return new_pinned(T, ...) end
   end
   cutorch.createCudaHostTensor = cutorch.createCudaHostFloatTensor

   if not pytorch_device then return end

   -- Copies a contiguous tensor of the host to a contiguous one of a device, with the same sizes and type.
   function devices.upload(t, T, source, non_blocking)
      local z = device_buffers.result(t, T)
      if not z then return false end
      host.upload_to_view(z, address_of(buffers.start(source)), numel(t), T.dtype, non_blocking)
      device_buffers.mark_written(t, T)
      buffers.keep_alive(t, source)
      return true
   end

   -- Starts a copy between the host and the device, of contiguous tensors of the same type and size.
   function devices.copy_async(t, source)
      local T, S = of_tensor(t), of_tensor(source)
      if not T or not S or numel(t) == 0 or not same_size(t, source) or not contiguous(t)
         or not contiguous(source) then
         return false
      end
      if T.base == S then
         return devices.upload(t, T, source, true)
      elseif S.base == T and device_buffers.is_on_device(source) then
         host.download_async(device_buffers.view(source, S), address_of(buffers.start(t)), numel(t), T.dtype)
      else
         return false
      end
      buffers.keep_alive(t, source)
      return true
   end
end

-- Memory of the device, and tensors of the host that it could reach.

local torch = require 'torch'
local device_buffers = require 'torch.memory.device_buffers'
local host = require('torch.native.host').of 'cutorch'

return function(cutorch, _, device)
   -- Free and total bytes.
   function cutorch.getMemoryUsage()
      local free, total
      if device then free, total = host.device_memory() end
      if free then return free, total end
      return host.memory()
   end

   -- fallbacks()[name] = how often the CPU computed an operation, a method's elements or a module for the device since
   -- the last call with `true`, which begins anew.
   function cutorch.fallbacks(reset)
      local counted = device_buffers.fallbacks
      if reset then device_buffers.fallbacks = {} end
      local copy = {}
      for name, count in pairs(counted) do copy[name] = count end
      return copy
   end

   function cutorch.isCachingAllocatorEnabled() return false end

   -- Tensors of the host: ordinary ones.
   function cutorch.createCudaHostTensor(...) return torch.FloatTensor(...) end

   for _, name in ipairs { 'Double', 'Float', 'Half', 'Long', 'Int', 'Short', 'Char', 'Byte' } do
      cutorch['createCudaHost' .. name .. 'Tensor'] = function(...) return torch[name .. 'Tensor'](...) end
   end
end

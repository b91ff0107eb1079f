-- Memory of the device, and tensors of the host that it could reach.

local torch = require 'torch'
local host = require('torch.core.host').of 'cutorch'

return function(cutorch)
   -- Free and total bytes.
   function cutorch.getMemoryUsage() return host.memory() end

   function cutorch.isCachingAllocatorEnabled() return false end

   -- Tensors of the host: ordinary ones.
   function cutorch.createCudaHostTensor(...) return torch.FloatTensor(...) end

   for _, name in ipairs { 'Double', 'Float', 'Half', 'Long', 'Int', 'Short', 'Char', 'Byte' } do
      cutorch['createCudaHost' .. name .. 'Tensor'] = function(...) return torch[name .. 'Tensor'](...) end
   end
end

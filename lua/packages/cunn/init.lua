-- cunn: networks on the device, and modules that divide a batch between devices.

require 'cutorch'
local nn, types = require 'nn', require 'torch.base.types'
local device_buffers = require 'torch.memory.device_buffers'

for _, part in ipairs { 'DataParallelTable', 'DataParallel' } do require('cunn.' .. part)(nn) end

for _, name in ipairs { 'Cuda', 'CudaDouble' } do nn.THNN.add(types.by_name[name]) end

-- On a device of PyTorch.
if device_buffers.active then require 'cunn.device_modules'(nn) end

return nn

-- cltorch: the interface of OpenCL devices over the CPU. torch.ClTensor is torch.CudaTensor by another name.

local torch, cutorch = require 'torch', require 'cutorch'
local class_registry, types = require 'torch.base.class_registry', require 'torch.base.types'

local cltorch = {}
rawset(_G, 'cltorch', cltorch)

for _, kind in ipairs { 'Tensor', 'Storage' } do
   types.by_typename['torch.Cl' .. kind] = types.by_typename['torch.Cuda' .. kind]
   torch['Cl' .. kind] = torch['Cuda' .. kind]
end

for _, name in ipairs { 'Double', 'Float', 'Byte', 'Char', 'Short', 'Int', 'Long', 'Cuda' } do
   local methods = class_registry.metatable('torch.' .. name .. 'Tensor')
   methods.cl = methods.cuda
end

for _, name in ipairs { 'getDeviceCount', 'getDevice', 'setDevice', 'synchronize', 'manualSeed' } do
   cltorch[name] = cutorch[name]
end

-- The properties of the device, by the names of OpenCL too.
function cltorch.getDeviceProperties(number)
   local found = cutorch.getDeviceProperties(number)
   found.deviceName, found.platformVendor = found.name, 't7shell'
   found.deviceType = found.name == 'CPU' and 'CPU' or 'GPU'
   found.globalMemSizeMB, found.maxComputeUnits = math.floor(found.totalGlobalMem / 2 ^ 20), found.multiProcessorCount
   found.maxWorkGroupSize = found.maxThreadsPerBlock
   return found
end

-- Settings of the driver, and reports of it: all work is done when a call returns.
for _, name in ipairs { 'finish', 'setTrace', 'setAddFinish', 'setEnableTiming', 'dumpTimings', 'dumpProfiling',
   'setProfiling', 'about', 'setAllowNonGpus' } do
   cltorch[name] = function() end
end

return cltorch

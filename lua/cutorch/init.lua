-- cutorch: the interface of GPUs over the CPU. Tensors of the device are torch.CudaTensor and its kin, over the memory
-- and the kernels of the types below them; what has no meaning here does nothing.

local getenv, io, ipairs, rawset, require = os.getenv, io, ipairs, rawset, require
local torch = require 'torch'
local devices, errors = require 'torch.dispatch.devices', require 'torch.core.errors'
local types = require 'torch.core.types'

if getenv 'T7_CUDA' == 'off' then
   errors.raise('cutorch: switched off by T7_CUDA=off or --no-cuda; without it the CPU computes in its place')
end

local cutorch = {}
rawset(_G, 'cutorch', cutorch)

-- Declares the types.
local _ = types.by_typename['torch.CudaTensor']

devices.generator = torch.Generator()
for _, part in ipairs { 'device', 'random', 'memory' } do require('cutorch.' .. part)(cutorch, devices) end

io.stderr:write('t7: cutorch: no GPU is used; the CPU computes (T7_CUDA=off lets this require fail)\n')

return cutorch

-- cutorch: the interface of GPUs. Tensors of the device are torch.CudaTensor and the like. They compute on a device of
-- PyTorch, see backend.lua, or by the kernels of their base types on the CPU: see choice.lua.

local torch = require 'torch'
local devices, errors = require 'torch.dispatch.devices', require 'torch.base.errors'
local types = require 'torch.base.types'

local choice = require 'cutorch.choice'

if choice.setting() == 'off' then
   errors.raise('cutorch: switched off by T7_CUDA=off or --no-cuda; without it the CPU computes in its place')
end

-- Before the global is set: programs that probe for a device must see none if this fails.
local _ = types.by_typename['torch.CudaTensor']
local pytorch_device = choice.open()

local cutorch = {}
rawset(_G, 'cutorch', cutorch)

devices.generator = torch.Generator()
-- Each part gets the name of PyTorch's device, nil if the CPU computes.
for _, part in ipairs { 'device', 'streams', 'random', 'memory' } do
   require('cutorch.' .. part)(cutorch, devices, pytorch_device)
end

-- Python programs that chose the device themselves get no notice.
if choice.setting() == '' or not require('torch.native.host').are_warnings() then
   require 'torch.base.notice'('t7: cutorch: ' .. choice.line(pytorch_device))
end

return cutorch

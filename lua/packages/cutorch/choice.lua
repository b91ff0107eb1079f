-- Selects the device that computes for cutorch, once, by T7_CUDA or `t7 --device`: 'cpu', 'pytorch:cuda:0',
-- 'pytorch:mps', 'pytorch:cpu', 'off'. Without a setting PyTorch computes if it is installed and finds a GPU, otherwise
-- the CPU. For tests of programs that use several GPUs, 'pytorch:cpu' presents T7_CUDA_DEVICES devices.

local getenv = os.getenv
local placement = require 'torch.memory.placement'
local errors, host = require 'torch.base.errors', require('torch.native.host').of 'cutorch'

local choice = {}

function choice.setting() return getenv 'T7_CUDA' or '' end

-- The devices that PyTorch's CPU presents for T7_CUDA_DEVICES.
local MAX_PRESENTED = 64

local MISSING = "PyTorch is not installed; pip install torch installs it"

-- The PyTorch name of the requested or detected device; nil for the CPU's own kernels.
local function device_of(setting)
   if setting == '' then
      -- Asking PyTorch takes the seconds of its import.
      return host.gpu_is_likely() and host.pytorch() and host.best_device() or nil
   end
   if setting == 'cpu' then return nil end
   local device = string.match(setting, '^pytorch:(.+)$')
   if not device then
      errors.raise("cutorch: T7_CUDA must be 'off', 'cpu' or 'pytorch:<device>' such as 'pytorch:cuda:0' (got '%s')",
         setting)
   end
   if not host.pytorch() then errors.raise('cutorch: %s: %s', setting, MISSING) end
   return device
end

-- Opens the device; returns its name for PyTorch, nil if the CPU computes.
function choice.open()
   local setting = choice.setting()
   local device = device_of(setting)
   if not device then return nil end
   local presented = tonumber(getenv 'T7_CUDA_DEVICES' or 1)
   if not presented or presented % 1 ~= 0 or presented < 1 or presented > MAX_PRESENTED then
      errors.raise("cutorch: T7_CUDA_DEVICES must be a number of devices from 1 to %d (got '%s')", MAX_PRESENTED,
         getenv 'T7_CUDA_DEVICES')
   end
   local reason = host.open_device(device, presented)
   if reason then errors.raise('cutorch: pytorch:%s cannot compute: %s', device, reason) end
   placement.first, placement.several = host.current_device(), host.device_count() > 1
   placement.current = placement.first
   require('cutorch.backend').install()
   return device
end

-- Describes the device that computes, in a line.
function choice.line(device)
   if device then return 'pytorch:' .. device .. ' computes (' .. host.device_name() .. ')' end
   return 'no GPU in use; computing on the CPU (set T7_CUDA=off to make this require fail)'
end

return choice

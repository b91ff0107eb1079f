-- The devices: their number, the current one, and their properties.

local torch = require 'torch'
local check, placement = require 'torch.base.check', require 'torch.memory.placement'
local host = require('torch.native.host').of 'cutorch'

return function(cutorch, devices, pytorch_device)
   local count = pytorch_device and host.device_count() or 1
   -- The generator of each device for operations that the CPU computes for it.
   local generators = { [placement.current] = devices.generator }

   local function device(name, number) return check.integer('cutorch.' .. name, 'device', number, 1, count) end

   function cutorch.getDeviceCount() return count end

   function cutorch.getDevice() return placement.current end

   local function choose(number)
      if number == placement.current then return end
      if pytorch_device then host.set_device(number) end
      placement.current = number
      generators[number] = generators[number] or torch.Generator()
      devices.generator = generators[number]
   end

   function cutorch.setDevice(number) choose(device('setDevice', number)) end

   local function back(before, ok, ...)
      choose(before)
      if not ok then error((...), 0) end
      return ...
   end

   -- Calls a function with another current device, and returns its results.
   function cutorch.withDevice(number, f, ...)
      number = device('withDevice', number)
      check.callable('cutorch.withDevice', 'argument 2', f)
      local before = placement.current
      choose(number)
      return back(before, pcall(f, ...))
   end

   -- A table of the properties of a device, by default the current one.
   function cutorch.getDeviceProperties(number)
      number = device('getDeviceProperties', number or placement.current)
      local free, total = cutorch.getMemoryUsage(number)
      local major, minor, processors
      if pytorch_device then major, minor, processors = host.device_properties(number) end
      return {
         name = pytorch_device and host.device_name(number) or 'CPU',
         totalGlobalMem = total, freeGlobalMem = free, major = major or 5, minor = minor or 0, deviceOverlap = 0,
         multiProcessorCount = processors or host.cores(), warpSize = 32, maxThreadsPerBlock = 1024, clockRate = 0,
         computeMode = 0, integrated = major and 0 or 1, canMapHostMemory = 1, kernelExecTimeoutEnabled = 0,
      }
   end

   -- Free and total bytes of a device, by default the current one.
   function cutorch.getMemoryUsage(number)
      number = device('getMemoryUsage', number or placement.current)
      local free, total
      if pytorch_device then free, total = host.device_memory(number) end
      if free then return free, total end
      return host.memory()
   end

   -- The device of a tensor, 0 for one without memory.
   function cutorch.getDeviceOf(tensor)
      local of = torch.isTensor(tensor) and tensor.getDevice
      if not of then check.argument_error('cutorch.getDeviceOf', 'argument 1', 'a tensor of the device', tensor) end
      return of(tensor)
   end

   cutorch.driverVersion, cutorch.runtimeVersion, cutorch.magma = 8000, 8000, true
   cutorch.hasHalf, cutorch.hasHalfInstructions, cutorch.hasFastHalfInstructions =
      true, function() return true end, function() return false end

   for _, name in ipairs { 'deviceReset', 'reserveBlasHandles', 'setBlasHandle', 'setHeapTracking', 'shutdown' } do
      cutorch[name] = function() end
   end

   function cutorch.getNumBlasHandles() return 1 end

   function cutorch.getBlasHandle() return 1 end

   -- Whether operations on one device may have operands on another. By default they may not; copies always do.
   local peers = {}

   function placement.peers(number, other) return peers.all or peers[number .. ' ' .. other] end

   local function pair(name, number, other)
      return device(name, number) .. ' ' .. device(name, other)
   end

   function cutorch.getPeerToPeerAccess(number, other)
      if number == nil then return true end
      pair('getPeerToPeerAccess', number, other)
      return not pytorch_device or host.can_access_peer(number, other)
   end

   -- The driver enables it where it is available.
   function cutorch.setPeerToPeerAccess(number, other) pair('setPeerToPeerAccess', number, other) end

   function cutorch.getKernelPeerToPeerAccess(number, other)
      if number == nil then return true end
      return number == other or peers.all or peers[pair('getKernelPeerToPeerAccess', number, other)] or false
   end

   -- With a boolean alone, for all devices.
   function cutorch.setKernelPeerToPeerAccess(number, other, allowed)
      if type(number) == 'boolean' then
         peers.all = number or nil
         return
      end
      peers[pair('setKernelPeerToPeerAccess', number, other)] = allowed ~= false or nil
   end
end

-- Devices, streams and handles: there is one of each. On the CPU all work is done when a call returns; with PyTorch,
-- when synchronize returns or elements are read.

local torch = require 'torch'
local check = require 'torch.base.check'
local host = require('torch.native.host').of 'cutorch'

return function(cutorch, _, used)
   local function device(name, number)
      return check.integer('cutorch.' .. name, 'device', number, 1, 1)
   end

   function cutorch.getDeviceCount() return 1 end

   function cutorch.getDevice() return 1 end

   function cutorch.setDevice(number) device('setDevice', number) end

   -- Calls a function while a device is chosen, and returns its results.
   function cutorch.withDevice(number, f, ...)
      device('withDevice', number)
      return check.callable('cutorch.withDevice', 'argument 2', f)(...)
   end

   -- A table of the properties of the device.
   function cutorch.getDeviceProperties(number)
      device('getDeviceProperties', number or 1)
      local free, total = cutorch.getMemoryUsage()
      return {
         name = used and host.device_name() or 'CPU',
         totalGlobalMem = total, freeGlobalMem = free, major = 5, minor = 0, deviceOverlap = 0,
         multiProcessorCount = host.cores(), warpSize = 32, maxThreadsPerBlock = 1024, clockRate = 0,
         computeMode = 0, integrated = 1, canMapHostMemory = 1, kernelExecTimeoutEnabled = 0,
      }
   end

   -- The device of a tensor, 0 for one without memory.
   function cutorch.getDeviceOf(tensor)
      local of = torch.isTensor(tensor) and tensor.getDevice
      if not of then check.refuse('cutorch.getDeviceOf', 'argument 1', 'a tensor of the device', tensor) end
      return of(tensor)
   end

   cutorch.driverVersion, cutorch.runtimeVersion, cutorch.magma = 8000, 8000, true
   cutorch.hasHalf, cutorch.hasHalfInstructions, cutorch.hasFastHalfInstructions =
      true, function() return true end, function() return false end

   local streams, stream = 0, 0

   local function nothing() end
   for _, name in ipairs {
      'streamWaitFor', 'streamWaitForMultiDevice', 'streamBarrier', 'streamBarrierMultiDevice',
      'deviceReset', 'reserveBlasHandles', 'setBlasHandle', 'setPeerToPeerAccess',
      'setKernelPeerToPeerAccess', 'setHeapTracking', 'shutdown',
   } do cutorch[name] = nothing end

   function cutorch.synchronize()
      if used then host.synchronize() end
   end
   for _, name in ipairs { 'synchronizeAll', 'synchronizeDevice', 'streamSynchronize' } do
      cutorch[name] = cutorch.synchronize
   end

   -- cutorch.Event(): a point in the work of the device. As that is done in order, waiting for one is waiting for all.
   local Event = {}
   Event.__index = Event

   function Event.record() end

   -- Tells whether the work before the event is done; it is when this returns.
   function Event.query()
      cutorch.synchronize()
      return true
   end

   Event.synchronize, Event.wait, Event.waitOn = cutorch.synchronize, Event.record, Event.record

   function cutorch.Event() return setmetatable({}, Event) end

   function cutorch.reserveStreams(count)
      count = check.integer('cutorch.reserveStreams', 'number of streams', count, 0)
      if count > streams then streams = count end
   end

   function cutorch.getNumStreams() return streams end

   function cutorch.setStream(number)
      stream = check.integer('cutorch.setStream', 'stream', number, 0, streams)
   end

   function cutorch.getStream() return stream end

   function cutorch.setDefaultStream() stream = 0 end

   function cutorch.getNumBlasHandles() return 1 end

   function cutorch.getBlasHandle() return 1 end

   function cutorch.getPeerToPeerAccess() return true end

   function cutorch.getKernelPeerToPeerAccess() return true end
end

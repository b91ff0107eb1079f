-- Streams, events and synchronization. A device executes the work of one stream in order, and that of several
-- concurrently. Only CUDA GPUs have streams; elsewhere they are only numbers, and all work is done in order.

local check, device_buffers = require 'torch.base.check', require 'torch.memory.device_buffers'
local placement = require 'torch.memory.placement'
local host = require('torch.native.host').of 'cutorch'

return function(cutorch, _, pytorch_device)
   local streams, stream = 0, 0

   local function stream_of(name, number) return check.integer('cutorch.' .. name, 'stream', number, 0, streams) end

   -- Waits for all work of the current device.
   function cutorch.synchronize()
      if pytorch_device then host.synchronize(placement.current) end
   end
   cutorch.synchronizeDevice = cutorch.synchronize

   function cutorch.synchronizeAll()
      for number = 1, cutorch.getDeviceCount() do
         if pytorch_device then host.synchronize(number) end
      end
   end

   -- Waits for the work of the current stream.
   function cutorch.streamSynchronize()
      if pytorch_device then host.synchronize_stream() end
   end

   function cutorch.reserveStreams(count)
      count = check.integer('cutorch.reserveStreams', 'number of streams', count, 0)
      if count <= streams then return end
      if pytorch_device then host.reserve_streams(count) end
      streams = count
   end

   function cutorch.getNumStreams() return streams end

   -- Directs new work on every device to its stream with this number, 0 for the default one.
   function cutorch.setStream(number)
      number = stream_of('setStream', number)
      if number == stream then return end
      if pytorch_device then host.set_stream(number) end
      stream, device_buffers.stream = number, number
   end

   function cutorch.getStream() return stream end

   function cutorch.setDefaultStream() cutorch.setStream(0) end

   local function each_stream(name, list, act)
      for _, number in ipairs(check.kind('cutorch.' .. name, 'streams', list, 'table')) do
         act(stream_of(name, number))
      end
   end

   local function wait(device, number, other_device, other)
      if pytorch_device and not (device == other_device and number == other) then
         host.stream_waits(device, number, other_device, other)
      end
   end

   -- Makes a stream wait for the pending work of others, on the current device.
   function cutorch.streamWaitFor(number, others)
      number = stream_of('streamWaitFor', number)
      local device = placement.current
      each_stream('streamWaitFor', others, function(other) wait(device, number, device, other) end)
   end

   -- The same for several devices: others[device] = { stream, ... }.
   function cutorch.streamWaitForMultiDevice(device, number, others)
      device = check.integer('cutorch.streamWaitForMultiDevice', 'device', device, 1, cutorch.getDeviceCount())
      number = stream_of('streamWaitForMultiDevice', number)
      for other_device, list in pairs(check.kind('cutorch.streamWaitForMultiDevice', 'streams', others, 'table')) do
         each_stream('streamWaitForMultiDevice', list, function(other) wait(device, number, other_device, other) end)
      end
   end

   -- Makes each of the streams wait for the pending work of all of them.
   function cutorch.streamBarrierMultiDevice(list)
      local all = {}
      for device, numbers in pairs(check.kind('cutorch.streamBarrierMultiDevice', 'streams', list, 'table')) do
         each_stream('streamBarrierMultiDevice', numbers, function(number) all[#all + 1] = { device, number } end)
      end
      for _, one in ipairs(all) do
         for _, other in ipairs(all) do wait(one[1], one[2], other[1], other[2]) end
      end
   end

   function cutorch.streamBarrier(list) cutorch.streamBarrierMultiDevice { [placement.current] = list } end

   -- cutorch.Event(): a point in the work of the current stream.
   local Event = {}
   Event.__index = Event

   function Event:record()
      if self.event then host.event_call(self.event, 'record') end
   end

   -- Tells whether the work before the event is done.
   function Event:query()
      if self.event then return host.event_call(self.event, 'query') end
      cutorch.synchronize()
      return true
   end

   -- Waits for that work.
   function Event:synchronize()
      if self.event then host.event_call(self.event, 'synchronize') else cutorch.synchronize() end
   end

   -- Makes the current stream wait for it.
   function Event:waitOn()
      if self.event then host.event_call(self.event, 'wait') end
   end
   Event.wait = Event.waitOn

   function cutorch.Event()
      local event = setmetatable({ event = pytorch_device and host.new_event() or nil }, Event)
      event:record()
      return event
   end
end

-- nn.DataParallelTable: a network replicated on several devices, each of which computes a part of the batch. The
-- parameters are those of the first network; gradients of the others are added to its own. Devices that do not exist
-- get no part, so that a program for four GPUs runs on one.

local torch = require 'torch'
local check, expect = require 'torch.base.check', require 'nn.checks.expect'

-- networks[table] = the networks in the order of its devices: replicas are not part of files or clones.
local networks = setmetatable({}, { __mode = 'k' })

-- Applies f to the tensors of nested tables, and gives a table of the results of this shape.
local function map(value, f)
   if torch.isTensor(value) then return f(value) end
   local list = {}
   for key, inner in pairs(value) do list[key] = map(inner, f) end
   return list
end

-- The parts of a batch for `count` networks: first and last index of part i; small batches leave some without any.
local function range(size, i, count)
   return math.ceil((i - 1) * size / count) + 1, i == count and size or math.ceil(i * size / count)
end

return function(nn)
   local cutorch = require 'cutorch'
   local Table, parent = torch.class('nn.DataParallelTable', 'nn.Container', nn)

   function Table:__init(dimension, flattenParams, usenccl)
      parent.__init(self)
      self.dimension = check.size('DataParallelTable', 'dimension', dimension)
      self.flattenParams, self.usenccl = flattenParams or false, usenccl or false
      self.gpuAssignments, self.gradInput = {}, nil
   end

   -- Adds a network for a device or a list of devices; the network is on the first of them.
   function Table:add(module, devices)
      expect.instance_of('nn.Module', 'DataParallelTable', 'argument 1', module)
      for _, device in ipairs(type(devices) == 'table' and devices or { devices }) do
         check.size('DataParallelTable', 'device', device)
         self.gpuAssignments[#self.gpuAssignments + 1] = device
      end
      self.modules[#self.modules + 1] = module
      networks[self] = nil
      return self
   end

   local function first(self)
      local module = self.modules[1]
      if not module then check.fail('DataParallelTable', 'forward needs add(network, devices) before') end
      return module
   end

   -- The devices of the list that exist.
   local function devices_of(self)
      local list, device_count = {}, cutorch.getDeviceCount()
      for _, device in ipairs(self.gpuAssignments) do
         if device <= device_count then list[#list + 1] = device end
      end
      return list
   end

   -- The networks and their devices; nil if one network computes the whole batch.
   local function networks_of(self)
      local devices, module = devices_of(self), first(self)
      if #devices < 2 then return nil end
      local list = networks[self]
      if not list then
         list = { module }
         for i = 2, #devices do
            list[i] = self.modules[i] or cutorch.withDevice(devices[i], function() return module:clone() end)
         end
         networks[self], self.needsSync = list, true
      end
      return list, devices
   end

   -- Part i of a batch, copied to its device, which becomes current; nil if the batch is too small.
   local function part(self, batch, i, count)
      local is_empty = false
      local made = map(batch, function(t)
         local from, to = range(t:size(self.dimension), i, count)
         if to < from then
            is_empty = true
            return t
         end
         local slice = t:narrow(self.dimension, from, to - from + 1)
         if slice:getDevice() == cutorch.getDevice() and slice:isContiguous() then return slice end
         return slice.new():resize(slice:size()):copy(slice)
      end)
      return not is_empty and made or nil
   end

   -- The parts as one batch, on the current device.
   local function joined(self, parts)
      if torch.isTensor(parts[1]) then
         local dimension, sizes = self.dimension, parts[1]:size()
         for i = 2, #parts do sizes[dimension] = sizes[dimension] + parts[i]:size(dimension) end
         local batch, at = parts[1].new():resize(sizes), 1
         for _, t in ipairs(parts) do
            local size = t:size(dimension)
            batch:narrow(dimension, at, size):copy(t)
            at = at + size
         end
         return batch
      end
      local list = {}
      for key in pairs(parts[1]) do
         local inner = {}
         for i, value in ipairs(parts) do inner[i] = value[key] end
         list[key] = joined(self, inner)
      end
      return list
   end

   -- Calls a method of each network with its parts of the batches, and joins the results, if there are any.
   local function on_each(self, list, devices, method, batches, scale)
      local results = {}
      for i, device in ipairs(devices) do
         cutorch.withDevice(device, function()
            local given = {}
            for k, batch in ipairs(batches) do given[k] = part(self, batch, i, #devices) end
            if #given == #batches then
               given[#given + 1] = scale
               results[#results + 1] = self:rethrowErrors(list[i], i, method, unpack(given))
            end
         end)
      end
      return results[1] and cutorch.withDevice(devices[1], joined, self, results) or nil
   end

   function Table:get(index) return self.modules[index or 1] end

   function Table:updateOutput(input)
      local list, devices = networks_of(self)
      if not list then
         self.output = self:rethrowErrors(first(self), 1, 'updateOutput', input)
         return self.output
      end
      if self.needsSync then self:syncParameters() end
      for i = 2, #list do
         local trains = list[1].train
         if list[i].train ~= trains then list[i][trains == false and 'evaluate' or 'training'](list[i]) end
      end
      self.output = on_each(self, list, devices, 'updateOutput', { input })
      return self.output
   end

   -- Adds the gradients of the other networks to those of the first.
   local function collect(self, list, devices)
      local _, sums = list[1]:parameters()
      for i = 2, #list do
         local _, gradients = list[i]:parameters()
         for k, gradient in ipairs(gradients or {}) do
            cutorch.withDevice(devices[1], function()
               sums[k]:add(gradient.new():resize(gradient:size()):copy(gradient))
            end)
            cutorch.withDevice(devices[i], gradient.zero, gradient)
         end
      end
      self.needsSync = true
   end

   function Table:updateGradInput(input, gradOutput)
      local list, devices = networks_of(self)
      if list then
         self.gradInput = on_each(self, list, devices, 'updateGradInput', { input, gradOutput })
      else
         self.gradInput = self:rethrowErrors(first(self), 1, 'updateGradInput', input, gradOutput)
      end
      return self.gradInput
   end

   function Table:accGradParameters(input, gradOutput, scale)
      local list, devices = networks_of(self)
      if not list then
         return self:rethrowErrors(first(self), 1, 'accGradParameters', input, gradOutput, scale or 1)
      end
      on_each(self, list, devices, 'accGradParameters', { input, gradOutput }, scale or 1)
      collect(self, list, devices)
   end

   function Table:backward(input, gradOutput, scale)
      local list, devices = networks_of(self)
      if list then
         self.gradInput = on_each(self, list, devices, 'backward', { input, gradOutput }, scale or 1)
         collect(self, list, devices)
      else
         self.gradInput = self:rethrowErrors(first(self), 1, 'backward', input, gradOutput, scale or 1)
      end
      return self.gradInput
   end

   function Table:parameters() return first(self):parameters() end

   function Table:getParameters() return first(self):getParameters() end

   function Table:zeroGradParameters()
      local list, devices = networks_of(self)
      for i, module in ipairs(list or { first(self) }) do
         cutorch.withDevice(devices and devices[i] or cutorch.getDevice(), module.zeroGradParameters, module)
      end
   end

   function Table:updateParameters(rate)
      first(self):updateParameters(rate)
      self.needsSync = true
   end

   -- Calls the function that initialized the threads of other devices.
   function Table:threads(prepare)
      if prepare then check.callable('threads', 'argument 1', prepare)(1) end
      return self
   end

   -- Gives all networks the parameters of the first.
   function Table:syncParameters()
      local list, devices = networks_of(self)
      if not list then return self end
      local values = list[1]:parameters()
      for i = 2, #list do
         cutorch.withDevice(devices[i], function()
            for k, value in ipairs(list[i]:parameters() or {}) do value:copy(values[k]) end
         end)
      end
      self.needsSync = false
      return self
   end
   Table.sync = Table.syncParameters

   -- Replicas are created again when the networks change.
   for _, name in ipairs { 'type', 'clearState', 'reset' } do
      local method = parent[name]
      Table[name] = function(self, ...)
         if name ~= 'type' or (...) ~= nil then networks[self] = nil end
         return method(self, ...)
      end
   end

   function Table:__tostring__()
      local count = math.max(#devices_of(self), 1)
      return string.format('DataParallelTable: %d x %s', count, self.modules[1] and tostring(self.modules[1])
         or 'nothing')
   end
end

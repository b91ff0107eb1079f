-- nn.DataParallelTable: a network that would be copied to several devices, each with a part of the batch. There is one
-- device, so the first network computes the whole batch.

local torch = require 'torch'
local check = require 'torch.base.check'

return function(nn)
   local Table, parent = torch.class('nn.DataParallelTable', 'nn.Container', nn)

   function Table:__init(dimension, flattenParams, usenccl)
      parent.__init(self)
      self.dimension = check.size('DataParallelTable', 'dimension', dimension)
      self.flattenParams, self.usenccl = flattenParams or false, usenccl or false
      self.gpuAssignments, self.gradInput = {}, nil
   end

   -- Adds a network for a device or a list of devices.
   function Table:add(module, devices)
      if not torch.isTypeOf(module, 'nn.Module') then
         check.refuse('DataParallelTable', 'argument 1', 'a module', module)
      end
      for _, device in ipairs(type(devices) == 'table' and devices or { devices }) do
         check.size('DataParallelTable', 'device', device)
         self.gpuAssignments[#self.gpuAssignments + 1] = device
      end
      self.modules[#self.modules + 1] = module
      return self
   end

   local function first(self)
      local module = self.modules[1]
      if not module then check.fail('DataParallelTable', 'forward needs add(network, devices) before') end
      return module
   end

   function Table:get(index) return self.modules[index or 1] end

   function Table:updateOutput(input)
      self.output = self:rethrowErrors(first(self), 1, 'updateOutput', input)
      return self.output
   end

   function Table:updateGradInput(input, gradOutput)
      self.gradInput = self:rethrowErrors(first(self), 1, 'updateGradInput', input, gradOutput)
      return self.gradInput
   end

   function Table:accGradParameters(input, gradOutput, scale)
      self:rethrowErrors(first(self), 1, 'accGradParameters', input, gradOutput, scale or 1)
   end

   function Table:backward(input, gradOutput, scale)
      self.gradInput = self:rethrowErrors(first(self), 1, 'backward', input, gradOutput, scale or 1)
      return self.gradInput
   end

   function Table:parameters() return first(self):parameters() end

   function Table:getParameters() return first(self):getParameters() end

   function Table:updateParameters(rate) first(self):updateParameters(rate) end

   -- Calls the function that other devices' threads would begin with.
   function Table:threads(prepare)
      if prepare then check.callable('threads', 'argument 1', prepare)(1) end
      return self
   end

   -- There is nothing to bring into line.
   function Table:sync() return self end

   function Table:syncParameters() return self end

   function Table:__tostring__()
      return 'DataParallelTable: 1 x ' .. (self.modules[1] and tostring(self.modules[1]) or 'nothing')
   end
end

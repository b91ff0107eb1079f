-- nn.GPU: assigns a module to a device. There is only one here, so calls are passed on.

local expect = require 'nn.checks.expect'

return function(GPU, parent)

   function GPU:__init(module, device, outdevice)
      parent.__init(self, module)
      if type(device) ~= 'number' then expect.argument_error(self, 'device', 'a number', device) end
      self.device, self.outdevice = device, outdevice or device
   end

   function GPU.recursiveModuleDevice() end
   function GPU.recursiveSetDevice() end

   function GPU:setDevice(device)
      self.device = device or self.device
      return self
   end
end

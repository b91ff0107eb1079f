-- nn.GPU: assigns a module to a device. There is only one here, so calls are passed on.

local torch = require 'torch'
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

   -- A file has the type and the device before the fields, for readers that choose a device first.
   function GPU:write(file)
      expect.file(self, 'file', file, 'writeObject'):writeObject { self._type, self.device }
      parent.write(self, file)
   end

   -- The first versions of this library wrote the fields alone.
   function GPU:read(file)
      local fields = expect.file(self, 'file', file, 'readObject'):readObject()
      if type(fields) == 'table' and fields.modules == nil then fields = file:readObject() end
      for key, value in pairs(expect.kind(self, 'fields of the file', fields, 'table')) do self[key] = value end
   end

   function GPU:__tostring__()
      return string.format('%s(%s) @ %s', torch.type(self), tostring(self.device), tostring(self.modules[1]))
   end
end

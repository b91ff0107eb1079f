-- nn.Serial: a module that is written to files without its last results.

local expect = require 'nn.expect'

return function(Serial, parent)

   -- `tensortype` is that of the module in the file, if it is not its own.
   function Serial:__init(module, tensortype)
      parent.__init(self, module)
      self.tensortype = tensortype
      self.how = 'light'
   end

   -- How much is written: all, without outputs and gradients of inputs, or without gradients of parameters too.
   for name, how in pairs { heavySerial = 'heavy', mediumSerial = 'medium', lightSerial = 'light' } do
      Serial[name] = function(self, tensortype)
         self.how, self.tensortype = how, tensortype or self.tensortype
         return self
      end
   end

   function Serial:write(file)
      expect.file(self, file, 'writeObject')
      local fields = {}
      for key, value in pairs(self) do fields[key] = value end
      if self.how ~= 'heavy' then
         local copy = self.modules[1]:clone():clearState()
         if self.how == 'light' then
            local _, gradients = copy:parameters()
            for _, gradient in ipairs(gradients or {}) do gradient:zero() end
         end
         if self.tensortype then copy:type(self.tensortype) end
         fields.modules = { copy }
         fields.output, fields.gradInput = copy.output, copy.gradInput
      end
      file:writeObject(fields)
   end
end

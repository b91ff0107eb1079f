-- nn.Serial: a module that is written to files without the fields that heavySerial, mediumSerial and lightSerial name.

local torch = require 'torch'
local check, expect = require 'torch.base.check', require 'nn.checks.expect'

return function(Serial, parent)

   -- `tensortype` is that of the module in the file, if it is not its own.
   function Serial:__init(module, tensortype)
      parent.__init(self, module)
      if tensortype ~= nil and not string.find(tostring(tensortype), '^torch%..*Tensor$') then
         check.argument_error('Serial', 'argument 2', "the name of a type of tensors, such as 'torch.FloatTensor'",
            tensortype)
      end
      self.tensortype = tensortype
   end

   -- Gives tables their classes back.
   local function classify(state, seen)
      if seen[state] then return end
      seen[state] = true
      for _, value in pairs(state) do
         if torch.type(value) == 'table' then classify(value, seen) end
      end
      if state.dpnn_typename then torch.setmetatable(state, state.dpnn_typename) end
   end

   function Serial:write(file)
      expect.file(self, 'file', file, 'writeObject')
      local state = self:getSerialState()
      classify(state, {})
      if self.tensortype then state:type(self.tensortype) end
      local fields = {}
      for key, value in pairs(state) do fields[key] = value end
      file:writeObject(fields)
   end
end

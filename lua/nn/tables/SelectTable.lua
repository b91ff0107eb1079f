-- nn.SelectTable: one part of a table, by its number, from the end if it is negative, or by its key.

local torch, nested = require 'torch', require 'nn.module.nested'
local expect = require 'nn.checks.expect'

return function(SelectTable)

   function SelectTable:__init()
      self.gradInput = {}
   end

   local function key_of(self, input)
      expect.table(self, input)
      local index = self.index
      if type(index) == 'number' and index < 0 then index = #input + index + 1 end
      if index == nil or input[index] == nil then
         expect.argument_error(self, 'input', 'a table with an entry ' .. tostring(self.index), input)
      end
      return index
   end

   function SelectTable:updateOutput(input)
      self.output = input[key_of(self, input)]
      return self.output
   end

   -- Entries that are neither tensors nor tables are passed on, and have no gradient.
   local function copy_of(to, from)
      if not torch.isTensor(from) then return from end
      return nested.like(to, from):resizeAs(from):copy(from)
   end

   local function zeros_of(to, from)
      if not torch.isTensor(from) then return nil end
      return nested.like(to, from):resizeAs(from):zero()
   end

   function SelectTable:updateGradInput(input, gradOutput)
      local chosen = key_of(self, input)
      local gradInput = self.gradInput
      for key, value in pairs(input) do
         if key == chosen then value = gradOutput end
         gradInput[key] = nested.mirror(gradInput[key], value, key == chosen and copy_of or zeros_of)
      end
      for key in pairs(gradInput) do
         if input[key] == nil then gradInput[key] = nil end
      end
      return gradInput
   end
end

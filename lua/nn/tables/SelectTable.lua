-- nn.SelectTable: one part of a table, by its number, from the end if it is negative, or by its key.

local torch = require 'torch'
local expect = require 'nn.expect'

return function(SelectTable)

   function SelectTable:__init()
      self.gradInput = {}
   end

   local function key_of(self, input)
      expect.table(self, input)
      local index = self.index
      if type(index) == 'number' and index < 0 then index = #input + index + 1 end
      if index == nil or input[index] == nil then
         expect.refuse(self, 'input', 'a table with an entry ' .. tostring(self.index), input)
      end
      return index
   end

   function SelectTable:updateOutput(input)
      self.output = input[key_of(self, input)]
      return self.output
   end

   -- A copy of `from`, or zeros in its form, in `to` where that has it.
   local function copied(to, from, zeros)
      if torch.isTensor(from) then
         if not torch.isTensor(to) or torch.typename(to) ~= torch.typename(from) then to = from.new() end
         to:resizeAs(from)
         return zeros and to:zero() or to:copy(from)
      elseif type(from) == 'table' and not torch.typename(from) then
         if type(to) ~= 'table' then to = {} end
         for key, value in pairs(from) do to[key] = copied(to[key], value, zeros) end
         for key in pairs(to) do
            if from[key] == nil then to[key] = nil end
         end
         return to
      end
      return not zeros and from or nil
   end

   function SelectTable:updateGradInput(input, gradOutput)
      local chosen = key_of(self, input)
      local gradInput = self.gradInput
      for key, value in pairs(input) do
         if key == chosen then value = gradOutput end
         gradInput[key] = copied(gradInput[key], value, key ~= chosen)
      end
      for key in pairs(gradInput) do
         if input[key] == nil then gradInput[key] = nil end
      end
      return gradInput
   end
end

-- nn.FlattenTable: all tensors of nested tables as one table.

local type = type
local torch = require 'torch'
local check = require 'nn.check'

return function(FlattenTable, parent)

   function FlattenTable:__init()
      parent.__init(self)
      self.output, self.gradInput, self.input_map = {}, {}, {}
   end

   local function flatten(value, to)
      if type(value) == 'table' and not torch.typename(value) then
         for i = 1, #value do flatten(value[i], to) end
      else
         to[#to + 1] = value
      end
      return to
   end

   function FlattenTable:updateOutput(input)
      check.table(self, input)
      self.output = flatten(input, {})
      return self.output
   end

   -- The parts of a flat table, from one on, in the form of `like`; then the number of the next one.
   local function nest(like, flat, next_)
      if type(like) == 'table' and not torch.typename(like) then
         local to = {}
         for i = 1, #like do to[i], next_ = nest(like[i], flat, next_) end
         return to, next_
      end
      return flat[next_], next_ + 1
   end

   function FlattenTable:updateGradInput(input, gradOutput)
      check.table(self, input)
      check.table(self, gradOutput, 'gradOutput')
      self.gradInput = (nest(input, gradOutput, 1))
      return self.gradInput
   end

   function FlattenTable:type(name, cache)
      if not name then return self._type end
      self.output, self.gradInput = {}, {}
      return parent.type(self, name, cache)
   end

   function FlattenTable:clearState()
      self.output, self.gradInput, self.input_map = {}, {}, {}
      return self
   end
end

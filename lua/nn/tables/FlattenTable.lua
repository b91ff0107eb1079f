-- nn.FlattenTable: all tensors of nested tables as one table.

local torch = require 'torch'
local expect = require 'nn.expect'

return function(FlattenTable, parent)

   function FlattenTable:__init()
      parent.__init(self)
      self.output, self.gradInput, self.input_map = {}, {}, {}
   end

   local function is_list(value) return type(value) == 'table' and not torch.typename(value) end

   -- Whether two nested lists hold the same objects.
   local function same(a, b)
      if not is_list(a) or not is_list(b) then return rawequal(a, b) end
      for i = 1, math.max(#a, #b) do
         if not same(a[i], b[i]) then return false end
      end
      return true
   end

   -- Keeps the existing table if its entries are the same, since programs hold on to it.
   local function kept(before, now) return same(before, now) and before or now end

   -- Appends the tensors of nested lists to a list; returns their numbers in it, in the form of the lists.
   local function flatten(value, to)
      if not is_list(value) then
         to[#to + 1] = value
         return #to
      end
      local map = {}
      for i = 1, #value do map[i] = flatten(value[i], to) end
      return map
   end

   function FlattenTable:updateOutput(input)
      expect.table(self, input)
      local output = {}
      local map = flatten(input, output)
      if not same(self.output, output) or not same(self.input_map, map) then
         self.output, self.input_map = output, map
      end
      return self.output
   end

   function FlattenTable:clearState()
      self.input_map = {}
      return parent.clearState(self)
   end

   -- The parts of a flat table, from one on, in the form of `like`; then the number of the next one.
   local function nest(like, flat, next_)
      if is_list(like) then
         local to = {}
         for i = 1, #like do to[i], next_ = nest(like[i], flat, next_) end
         return to, next_
      end
      return flat[next_], next_ + 1
   end

   function FlattenTable:updateGradInput(input, gradOutput)
      expect.table(self, input)
      expect.table(self, gradOutput, 'gradOutput')
      self.gradInput = kept(self.gradInput, (nest(input, gradOutput, 1)))
      return self.gradInput
   end
end

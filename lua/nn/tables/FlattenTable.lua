-- nn.FlattenTable: all tensors of nested tables as one table.

local torch = require 'torch'
local expect = require 'nn.checks.expect'

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

   local function flatten(value, to)
      if is_list(value) then
         for i = 1, #value do flatten(value[i], to) end
      else
         to[#to + 1] = value
      end
      return to
   end

   -- The numbers of the tensors in the output, with the structure of the input; then the number of the next one.
   local function map_of(value, next_)
      if not is_list(value) then return next_, next_ + 1 end
      local map = {}
      for i = 1, #value do map[i], next_ = map_of(value[i], next_) end
      return map, next_
   end

   -- The tables stay while their entries do, since programs hold on to them; other entries come in new tables.
   function FlattenTable:updateOutput(input)
      expect.table(self, input)
      local output = flatten(input, {})
      local map = map_of(input, 1)
      if not same(self.output, output) or not same(self.input_map, map) then
         self.output, self.input_map = output, map
      end
      return self.output
   end

   -- The parts of a flat table, from one on, with the structure of `like`; then the number of the next one.
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
      local gradInput = nest(input, gradOutput, 1)
      if not same(self.gradInput, gradInput) then self.gradInput = gradInput end
      return self.gradInput
   end
end

-- nn.Convert: moves the axes of tensors, from one string of letters to another, and converts to the module's
-- type.

local find, sub, type = string.find, string.sub, type
local torch = require 'torch'
local check = require 'nn.check'

return function(Convert, parent, nn)

   function Convert:__init(inputShape, outputShape)
      parent.__init(self)
      if outputShape and not inputShape then
         check.fail(self, 'axes of the input expected before those of the output (got nil)')
      end
      self.inputShape = inputShape or 'b*'
      self.outputShape = outputShape or self.inputShape
      self.inputBatchDim = self:findAxis('b', self.inputShape, true)
      self.outputBatchDim = self:findAxis('b', self.outputShape, true)
   end

   -- The number of an axis in a string of letters; an error, or nil when `silent`, where it is missing.
   function Convert:findAxis(axis, shape, silent)
      if type(axis) ~= 'string' then check.fail(self, 'letter of an axis expected (got %s)', check.describe(axis)) end
      local at = find(shape, axis, 1, true)
      if not at and not silent then
         check.fail(self, "axes with a letter %s expected (got '%s')", axis, shape)
      end
      return at
   end

   -- Axes as the input has them: with a batch in front where it has one dimension more.
   local function shapes(self, input)
      local from, to = self.inputShape, self.outputShape
      if not find(from, 'b') and input:dim() == #from + 1 then from, to = 'b' .. from, 'b' .. to end
      return from, to
   end

   local function named(shape) return not find(shape, '*', 1, true) end

   function Convert:b() self.converter = nn.Identity() end
   function Convert:default() self.converter = nn.Identity() end

   -- Vectors, or sets of them: all that is no batch in one dimension.
   function Convert:bf()
      local from = self.inputShape
      local b = self:findAxis('b', from)
      self.converter = nn.Sequential()
      if b ~= 1 then self.converter:add(nn.Transpose { 1, b }) end
      if #from > 2 then self.converter:add(nn.Collapse(#from - 1)) end
   end

   function Convert:bt()
      local b = self:findAxis('b', self.inputShape)
      self.converter = b == 1 and nn.Identity() or nn.Transpose { 1, b }
   end

   -- Swaps pairs of axes until they are in order.
   function Convert:transpose(from, to)
      local now, swaps = from, {}
      for place = 1, #to do
         local at = self:findAxis(sub(to, place, place), now)
         if at ~= place then
            swaps[#swaps + 1] = { place, at }
            local a, b = sub(now, place, place), sub(now, at, at)
            now = sub(now, 1, place - 1) .. b .. sub(now, place + 1, at - 1) .. a .. sub(now, at + 1)
         end
      end
      local transpose = nn.Transpose()
      transpose.permutations = swaps
      return transpose
   end

   function Convert:buildConverter(input)
      local from, to = shapes(self, check.tensor(self, input))
      if from == to or not named(from) or not named(to) then
         self.converter = nn.Copy(input:type(), self:type())
      elseif #from == #to then
         self.converter = nn.Sequential():add(nn.Copy(input:type(), self:type())):add(self:transpose(from, to))
      elseif to == 'bf' then
         self:bf()
         self.converter = nn.Sequential():add(nn.Copy(input:type(), self:type())):add(self.converter)
      else
         check.fail(self, "a way from axes '%s' to '%s' expected (there is none)", from, to)
      end
      self.modules[1] = self.converter
      -- The module inside takes what comes and gives the type of this one.
      self.converter:type(self:type())
      local copy = self.converter.modules and self.converter.modules[1] or self.converter
      copy.intype, copy.gradInput = input:type(), torch.getmetatable(input:type()).new()
      copy.forced = input:type() ~= self:type()
      self._input_type, self._input_dim = input:type(), input:dim()
   end

   function Convert:updateOutput(input)
      check.tensor(self, input)
      if not self.converter or self._input_type ~= input:type() or self._input_dim ~= input:dim() then
         self:buildConverter(input)
      end
      self.output = self.converter:updateOutput(input)
      return self.output
   end

   function Convert:updateGradInput(input, gradOutput)
      if not self.converter then check.fail(self, 'forward expected before backward') end
      self.gradInput = self.converter:updateGradInput(input, gradOutput)
      return self.gradInput
   end

   function Convert:accGradParameters(input, gradOutput, scale)
      self.converter:accGradParameters(input, gradOutput, scale)
   end

   function Convert:accUpdateGradParameters(input, gradOutput, lr)
      self.converter:accUpdateGradParameters(input, gradOutput, lr)
   end

   function Convert:type(name, cache)
      if not name then return self._type end
      self:clearState()
      return parent.type(self, name, cache)
   end

   function Convert:clearState()
      self.converter, self.modules[1] = nil, nil
      self.gradInput = torch.Tensor():type(self._type)
      self.output = torch.Tensor():type(self._type)
      return self
   end
end

-- nn.Convert: moves the axes of tensors, from one string of letters to another, and converts to the module's type.
--
-- A string without the letter b gets one in front: an input of fewer dimensions is one sample, and so is its output.
-- Strings of the same letters differ by a permutation; beyond that, 'b', 'bt' and 'bf' can be made.

local torch = require 'torch'
local expect = require 'nn.checks.expect'

return function(Convert, parent, nn)

   local ANY = 'b*'

   local function with_batch(shape) return string.find(shape, 'b', 1, true) and shape or 'b' .. shape end

   local function letters(shape)
      local list = {}
      for i = 1, #shape do list[i] = string.sub(shape, i, i) end
      return list
   end

   local function sorted(shape)
      local list = letters(shape)
      table.sort(list)
      return table.concat(list)
   end

   function Convert:__init(inputShape, outputShape)
      parent.__init(self)
      if outputShape and not inputShape then
         expect.fail(self, 'axes of the input must be given with those of the output (got nil)')
      end
      self.inputShape = with_batch(inputShape or ANY)
      self.outputShape = with_batch(outputShape or self.inputShape)
      if (self.inputShape == ANY) ~= (self.outputShape == ANY) then
         expect.fail(self, "both strings of axes must be b*, or neither (got '%s' and '%s')", self.inputShape,
            self.outputShape)
      end
      self.inputBatchDim, self.outputBatchDim = self:findAxis 'b', self:findAxis('b', self.outputShape)
      self.nInputDim = self.inputShape == ANY and -1 or #self.inputShape
      self.nOutputDim = self.outputShape == ANY and -1 or #self.outputShape
      self.transposition = sorted(self.inputShape) == sorted(self.outputShape)
   end

   -- The number of an axis in a string of letters; an error, or nil when `silent`, where it is missing.
   function Convert:findAxis(axis, shape, silent)
      if type(axis) ~= 'string' then expect.argument_error(self, 'axis', 'a letter', axis) end
      shape = shape or self.inputShape
      local at = string.find(shape, axis, 1, true)
      if not at and not silent then expect.fail(self, "axes must have a letter %s (got '%s')", axis, shape) end
      return at
   end

   function Convert:default() return nn.Identity() end

   -- A vector for each sample: all other axes in one.
   function Convert:bf()
      local from = self.inputShape
      if #from == 1 then return nn.Reshape(1) end
      local b, made = self:findAxis 'b', nn.Sequential()
      if b ~= 1 then made:add(nn.Transpose { 1, b }) end
      if #from > 2 then made:add(nn.Collapse(#from - 1)) end
      return made
   end

   -- A number for each sample: its only feature, or its first target.
   function Convert:b(input)
      local from = self.inputShape
      local f = #from == 2 and self:findAxis('f', from, true)
      local axis = f or #from == 2 and self:findAxis('t', from, true)
      if not axis then expect.fail(self, "axes '%s' cannot be converted to 'b'", from) end
      if f and input:size(f) > 1 then
         expect.fail(self, "input must have one feature for axes 'b' (got %s)", expect.describe(input))
      end
      return nn.Select(axis, 1)
   end

   -- A set of targets for each sample.
   function Convert:bt()
      if self.inputShape ~= 'b' then expect.fail(self, "axes '%s' cannot be converted to 'bt'", self.inputShape) end
      return nn.Reshape(1)
   end

   -- Swaps pairs of axes until they are in the order of `to`.
   function Convert:transpose(to)
      local now, swaps = letters(self.inputShape), {}
      for i = 1, #to do
         local wanted, at = string.sub(to, i, i), i
         while now[at] ~= wanted do
            at = at + 1
            if at > #now then expect.fail(self, "axes must have a letter %s (got '%s')", wanted, self.inputShape) end
         end
         if at ~= i then
            now[i], now[at] = now[at], now[i]
            table.insert(swaps, { at, i })
         end
      end
      local transpose = nn.Transpose()
      transpose.permutations = swaps
      return #swaps == 0 and nn.Identity() or transpose
   end

   function Convert:buildConverter(input)
      local to = self.outputShape
      if self.transposition then
         self.converter = self:transpose(to)
      elseif to == 'bf' or to == 'bt' or to == 'b' then
         self.converter = self[to](self, input)
      else
         expect.fail(self, "axes '%s' cannot be converted to '%s'", self.inputShape, to)
      end
      self.converter:type(self._type)
      self.modules[1] = self.converter
   end

   -- A view with a dimension of size 1 for the batch, or with the sizes of `like`.
   local function with_sample(t, dim) return nn.utils.addSingletonDimension(t.new(), t, dim) end

   -- The input as the converter takes it: of the module's type, as a batch.
   local function batch_of(self, input)
      expect.tensor(self, input)
      if input:type() ~= self._type then
         self._input = torch.getmetatable(self._type).new():resize(input:size()):copy(input)
         input = self._input
      end
      self.batchMode = input:dim() >= self.nInputDim
      return self.batchMode and input or with_sample(input, self.inputBatchDim)
   end

   function Convert:updateOutput(input)
      local x = batch_of(self, input)
      -- As in the original, further dimensions stay where they are.
      if self.nInputDim > 0 and x:dim() < self.nInputDim then
         expect.fail(self, "input must have %d dimensions or more for axes '%s', or be one sample (got %s)",
            self.nInputDim, self.inputShape, expect.describe(input))
      end
      if not self.converter then self:buildConverter(x) end
      self.output = self.converter:updateOutput(x)
      if not self.batchMode then self.output = self.output:select(self.outputBatchDim, 1) end
      return self.output
   end

   function Convert:updateGradInput(input, gradOutput)
      if not self.converter then expect.fail(self, 'backward called before forward') end
      local x = batch_of(self, input)
      if not self.batchMode then
         gradOutput = with_sample(expect.tensor(self, gradOutput, 'gradOutput'), self.outputBatchDim)
      end
      self.gradInput = self.converter:updateGradInput(x, gradOutput)
      if not self.batchMode then self.gradInput = self.gradInput:select(self.inputBatchDim, 1) end
      if input:type() ~= self._type then self.gradInput = self.gradInput:type(input:type()) end
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
      self.converter, self.modules[1], self._input = nil, nil, nil
      self.gradInput = torch.Tensor():type(self._type)
      self.output = torch.Tensor():type(self._type)
      return self
   end
end

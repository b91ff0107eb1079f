-- nn.LookupTable: rows of the weight by their numbers.

local torch = require 'torch'
local expect, kernel = require 'nn.checks.expect', require 'nn.kernels.kernel'
local mixins, lib = require 'nn.module.mixins', require 'torch.native.kernels' 'nn/lookup'

local gather = kernel.functions(lib, 't7_lookup')
local scatter = kernel.functions(lib, 't7_lookup_backward')

return function(LookupTable, parent)

   function LookupTable:__init(nIndex, nOutput, paddingValue, maxNorm, normType)
      parent.__init(self)
      self.weight = torch.Tensor(nIndex, nOutput)
      self.gradWeight = torch.Tensor(nIndex, nOutput):zero()
      self.paddingValue = paddingValue or 0
      self.maxNorm, self.normType = maxNorm, normType
      self:reset()
   end

   function LookupTable:upgrade()
      self._count = self._count or torch.IntTensor()
      self._input = self._input or torch.LongTensor()
      self.paddingValue = self.paddingValue or 0
      if self.shouldScaleGradByFreq == nil then self.shouldScaleGradByFreq = false end
   end
   LookupTable.backCompatibility = LookupTable.upgrade

   function LookupTable:accUpdateOnly()
      self.gradWeight = nil
      return self
   end

   for method, field in pairs { setPadding = 'paddingValue', setMaxNorm = 'maxNorm', setNormType = 'normType' } do
      LookupTable[method] = function(self, value)
         self[field] = value
         return self
      end
   end

   function LookupTable:scaleGradByFreq()
      self.shouldScaleGradByFreq = true
      return self
   end

   function LookupTable:reset(stdv) self.weight:normal(0, expect.number(self, 'stdv', stdv or 1)) end

   -- The indices as a contiguous LongTensor; all of them are rows of the weight.
   function LookupTable:makeInputContiguous(input)
      expect.tensor(self, input)
      if input:dim() ~= 1 and input:dim() ~= 2 then
         expect.argument_error(self, 'input', 'a vector or a matrix of indices', input)
      end
      local index = input
      if torch.typename(input) ~= 'torch.LongTensor' then
         self._input = self._input or torch.LongTensor()
         index = self._input:resize(input:size()):copy(input)
      end
      index = kernel.indices(index)
      local rows = self.weight:size(1)
      local wrong = kernel.first_outside(index, 1, rows)
      if wrong then expect.fail(self, 'indices must be from 1 to %d (got %.0f)', rows, wrong) end
      return index
   end

   function LookupTable:updateOutput(input)
      local index = self:makeInputContiguous(input)
      if self.maxNorm then self:renorm(index) end
      local k, n = kernel.of_type(expect.real(self, 'weight', self.weight)), self.weight:size(2)
      local rows, w = index:nElement(), k.as_contiguous(self.weight)
      local y = index:dim() == 1 and k.resized(self.output, rows, n) or
         k.resized(self.output, index:size(1), index:size(2), n)
      gather[k](rows, n, kernel.long_pointer(index), k.ptr(w), k.ptr(y))
      k.keep_alive(index, w, y)
      return y
   end

   function LookupTable:updateGradInput(input)
      expect.tensor(self, input)
      -- Indices have no gradient; containers that want one get zeros of the input's type.
      if torch.typename(self.gradInput) ~= torch.typename(input) then self.gradInput = input.new() end
      if not self.gradInput:isSameSizeAs(input) then self.gradInput:resize(input:size()) end
      self.gradInput:zero()
      return self.gradInput
   end

   function LookupTable:accGradParameters(input, gradOutput, scale)
      local index = self:makeInputContiguous(input)
      local gradWeight = self.gradWeight
      if gradWeight == nil then
         expect.fail(self, 'gradWeight is missing; after accUpdateOnly only accUpdateGradParameters works')
      end
      local k = kernel.of_type(expect.real(self, 'gradWeight', gradWeight))
      if not k.same_size(gradWeight, self.weight) then
         expect.argument_error(self, 'gradWeight', 'of the size of weight', gradWeight)
      end
      local n, rows = gradWeight:size(2), index:nElement()
      if not k.is(gradOutput) or k.numel(gradOutput) ~= rows * n then
         expect.fail(self, 'gradOutput must be of type %s with %d rows of %d (got %s)', k.TYPE, rows, n,
            expect.describe(gradOutput))
      end
      local g, to = k.as_contiguous(gradOutput), k.as_contiguous(gradWeight)
      local counts
      if self.shouldScaleGradByFreq then
         self._count = torch.IntTensor(self.weight:size(1)):zero()
         counts = kernel.int_pointer(self._count)
      end
      scatter[k](rows, n, kernel.long_pointer(index), k.ptr(g), scale or 1, self.paddingValue or 0, counts, k.ptr(to))
      k.keep_alive(index, g, to, self._count)
      if not k.contiguous(gradWeight) then gradWeight:copy(to) end
   end

   -- Rows with a norm above maxNorm are scaled to it.
   function LookupTable:renorm(input)
      if not self.maxNorm then return end
      local index = self:makeInputContiguous(input)
      local p, seen = self.normType or 2, {}
      for _, row in ipairs(index:view(-1):totable()) do
         if not seen[row] then
            seen[row] = true
            local w = self.weight[row]
            local norm = w:norm(p)
            if norm > self.maxNorm then w:mul(self.maxNorm / (norm + 1e-7)) end
         end
      end
   end

   function LookupTable:type(name, cache)
      if not name then return self._type end
      parent.type(self, name, cache)
      -- Indices and counts stay whole numbers.
      self._count, self._input = torch.IntTensor(), torch.LongTensor()
      return self
   end

   function LookupTable:clearState()
      self._count, self._input = torch.IntTensor(), torch.LongTensor()
      return parent.clearState(self)
   end

   mixins.shared_update(LookupTable)
end

-- nn.IndexLinear: Linear for sparse inputs {indices, values}; may normalise each input by the largest it has
-- seen.

local torch = require 'torch'
local initialization = require 'nn.module.initialization'
local expect = require 'nn.checks.expect'

return function(IndexLinear, parent, nn)

   -- The weight has a row for each input. With `normalize` four columns come before the outputs: the largest |value|
   -- seen, one over it, a factor of the learning rate, and a bias.
   local COLUMNS = 4

   function IndexLinear:__init(inputSize, outputSize, doGradInput, keysOffset, weight, bias, normalize)
      parent.__init(self)
      -- The number of columns before the outputs, and the offset from keys to 0-based rows.
      self.normalize, self.offset = normalize and COLUMNS or 0, (keysOffset or 0) - 1
      self.doGradInput = doGradInput or false
      self.weight = weight or torch.Tensor(inputSize, outputSize + self.normalize):zero()
      self.bias = bias or torch.Tensor(outputSize):zero()
      self.inputSize, self.outputSize = self.weight:size(1), self.weight:size(2) - self.normalize
      self.gradWeight, self.gradBias = self.weight.new(self.weight:size()):zero(), self.bias.new(self.outputSize):zero()
      self.weightDecay = 0
      -- The weight stays zero until reset() draws it. Torch7's methods need these fields, in files from here.
      self.gradWeightBuffer, self.valuesBuffer, self.normalizedValues = torch.Tensor(), torch.Tensor(), torch.Tensor()
      self.running = { cumSumSizes = {}, keys = {}, gradWeight = {}, counter = 1 }
      self.sizesCache, self.cumSumSizesCache = {}, {}
   end

   -- Files of Torch7 have the gradients of the keys of the last input alone, those of this library's first versions
   -- other fields.
   function IndexLinear:upgrade()
      if type(self.normalize) ~= 'number' then
         self.normalize, self.offset = self.normalize and COLUMNS or 0, (self.keysOffset or 0) - 1
      end
      if not self.gradWeight:isSameSizeAs(self.weight) then
         self.gradWeight = self.weight.new(self.weight:size()):zero()
      end
   end

   function IndexLinear:reset(stdv)
      initialization.uniform(nn, self, stdv, self.weight:size(2))
      self.bias:mul(0.000001)
      if self.normalize > 0 then self.weight:narrow(2, 1, self.normalize):zero() end
   end

   local function bad(self, input)
      expect.argument_error(self, 'input', '{indices, values} or {indices, values, sizes}, or tables of such', input)
   end

   -- Whether the input is one sample, and its forms: {keys, values}, {{keys...}, {values...}}, {keys, values,
   -- sizes}.
   function IndexLinear:reshapeInput(input)
      if type(input) ~= 'table' or #input < 2 then bad(self, input) end
      return input, torch.isTensor(input[1]) and input[3] == nil
   end

   -- The samples as a list of { keys, values }; whether it is one sample.
   function IndexLinear:flattenInputs(input)
      local single
      input, single = self:reshapeInput(input)
      local keys, values, sizes = input[1], input[2], input[3]
      local samples = {}
      local function sample(k, v)
         if not torch.isTensor(k) or not torch.isTensor(v) or k:nElement() ~= v:nElement() then bad(self, input) end
         k = k:long():contiguous():view(-1)
         if self.offset ~= -1 then k = torch.add(k, self.offset + 1) end
         if k:nElement() > 0 and (k:min() < 1 or k:max() > self.inputSize) then
            expect.fail(self, 'indices must be from 1 to %d (got %.0f to %.0f)', self.inputSize, k:min(), k:max())
         end
         samples[#samples + 1] = { k, v:type(self.weight:type()):contiguous():view(-1) }
      end
      if type(sizes) == 'number' then sizes = torch.LongTensor { sizes } end
      if torch.isTensor(keys) and torch.isTensor(sizes) then
         local at, counts = 1, sizes:long()
         if not torch.isTensor(values) or counts:nElement() == 0 or counts:min() < 0 or
            counts:sum() ~= keys:nElement() or values:nElement() ~= keys:nElement() then
            bad(self, input)
         end
         for i = 1, counts:nElement() do
            local n = counts[i]
            if n == 0 then
               samples[#samples + 1] = { torch.LongTensor(), self.weight.new() }
            else
               sample(keys:narrow(1, at, n), values:narrow(1, at, n))
            end
            at = at + n
         end
      elseif single then
         sample(keys, values)
      else
         if type(keys) ~= 'table' or type(values) ~= 'table' or #keys ~= #values then bad(self, input) end
         for i, k in ipairs(keys) do sample(k, values[i]) end
      end
      return samples, single
   end

   function IndexLinear:longTensor() return torch.LongTensor() end

   -- The values of a sample as the outputs weigh them; a training step remembers the largest ones.
   local function normalized(self, s)
      if self.normalize == 0 then return s[2] end
      local values = s[2]:clone()
      for i = 1, values:nElement() do
         local row, v = self.weight[s[1][i]], values[i]
         if self.train and math.abs(v) > row[1] then row[1], row[2] = math.abs(v), 1 / math.abs(v) end
         if self.train then row[3] = 1 end
         v = v * row[2]
         if v > 1 then v = 1 elseif v < -1 then v = -1 end
         values[i] = v + row[COLUMNS]
      end
      return values
   end

   local function outputs_of(self, t) return t:narrow(2, self.normalize + 1, self.outputSize) end

   function IndexLinear:updateOutput(input)
      local samples, single = self:flattenInputs(input)
      self.output:resize(#samples, self.outputSize)
      local weight = outputs_of(self, self.weight)
      self._normalized = {}
      for i, s in ipairs(samples) do
         local y = self.output[i]:copy(self.bias)
         if s[1]:nElement() > 0 then
            self._normalized[i] = normalized(self, s)
            y:addmv(1, weight:index(1, s[1]):t(), self._normalized[i])
         end
      end
      if single then self.output:resize(self.outputSize) end
      return self.output
   end

   -- Adds scale times the gradients to a weight and a bias.
   local function accumulate(self, input, gradOutput, scale, gradWeight, gradBias)
      local samples = self:flattenInputs(input)
      local g = expect.gradient_rows(self, gradOutput, #samples, self.outputSize)
      local weight, to = outputs_of(self, self.weight), outputs_of(self, gradWeight)
      for i, s in ipairs(samples) do
         if s[1]:nElement() > 0 then
            local values = self._normalized and self._normalized[i] or s[2]
            if values:nElement() ~= s[1]:nElement() then
               expect.fail(self, 'backward called before forward on this input')
            end
            if self.normalize > 0 then
               local slope = torch.mv(weight:index(1, s[1]), g[i])
               gradWeight:select(2, COLUMNS):indexAdd(1, s[1], slope:mul(scale))
            end
            to:indexAdd(1, s[1], torch.ger(values, g[i]):mul(scale))
         end
         gradBias:add(scale, g[i])
      end
   end

   function IndexLinear:accGradParameters(input, gradOutput, scale)
      accumulate(self, input, gradOutput, scale or 1, self.gradWeight, self.gradBias)
   end

   function IndexLinear:accUpdateGradParameters(input, gradOutput, lr)
      accumulate(self, input, gradOutput, -lr, self.weight, self.bias)
   end

   function IndexLinear:sharedAccUpdateGradParameters(input, gradOutput, lr)
      self:accUpdateGradParameters(input, gradOutput, lr)
   end

   -- The gradients of all inputs, those that a sample does not name among them: keys and values as in the
   -- input, and of the flat form a row for each sample.
   function IndexLinear:updateGradInput(input, gradOutput)
      local samples, single = self:flattenInputs(input)
      if not self.doGradInput then
         self.gradInput = {}
         if not single then return self.gradInput end
         expect.fail(self, 'backward needs gradients of inputs; construct with doGradInput = true')
      end
      if self.normalize > 0 then expect.fail(self, 'there are no gradients of inputs with normalize') end
      local g = expect.gradient_rows(self, gradOutput, #samples, self.outputSize)
      local all = torch.mm(g, outputs_of(self, self.weight):t())
      local keys = torch.range(1, all:size(2)):long()
      if single then
         self.gradInput = { keys, all[1] }
      elseif torch.isTensor(input[1]) then
         self.gradInput = { torch.repeatTensor(keys, #samples, 1), all }
      else
         local lists = { {}, {} }
         for i = 1, #samples do lists[1][i], lists[2][i] = keys:clone(), all[i]:clone() end
         self.gradInput = lists
      end
      return self.gradInput
   end

   function IndexLinear:updateParameters(lr)
      parent.updateParameters(self, lr)
      if self.weightDecay ~= 0 then outputs_of(self, self.weight):mul(1 - lr * self.weightDecay) end
   end

   function IndexLinear:clearState()
      self._normalized = nil
      self.output:set()
      self.gradInput = self.output.new()
      return self
   end
end

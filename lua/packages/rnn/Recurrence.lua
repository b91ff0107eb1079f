-- nn.Recurrence: a recurrent module from any module of { input, previous output }. Sizes of the output, without the
-- batch, and the dimensions of the input without it, say which sizes the zeros before the first step have.

local torch = require 'torch'
local check, expect = require 'torch.base.check', require 'nn.checks.expect'
local hidden_state = require 'rnn.hidden_state'

return function(Recurrence, parent, nn)

   hidden_state(Recurrence,
      { { 'outputs', 'gradOutputs', 'userPrevOutput', 'userNextGradOutput', 'userGradPrevOutput' } }, nn, 'nested')

   -- outputSize: a number, sizes as a LongStorage or { 3, 4 }, or a table of these for outputs that are tables:
   -- { { 3 }, { 4 } }.
   function Recurrence:__init(recurrentModule, outputSize, nInputDim, rho)
      parent.__init(self, rho or 9999)
      expect.instance_of('nn.Module', 'Recurrence', 'argument 1', recurrentModule)
      if type(outputSize) == 'number' then
         outputSize = torch.LongStorage { check.size('Recurrence', 'output size', outputSize) }
      elseif not torch.isStorage(outputSize) then
         check.kind('Recurrence', 'output size', outputSize, 'table')
      end
      self.outputSize, self.nInputDim = outputSize,
         check.integer('Recurrence', 'dimensions of the input', nInputDim, 0)
      self:setStepModule(recurrentModule)
      self.module, self.typeTensor = recurrentModule, torch.Tensor()   -- Torch7's methods read the tensor.
   end

   -- The size of the batch; nil for a single sample.
   function Recurrence:getBatchSize(input, nInputDim)
      local first = input
      while torch.type(first) == 'table' do first = first[1] end
      check.tensor(self, 'input', first)
      local dimensions = nInputDim or self.nInputDim
      check.dimensions(self, 'input', first, dimensions, dimensions + 1)
      if first:dim() > dimensions then return first:size(1), first end
      return nil, first
   end

   -- Zeros of sizes, or a table of such.
   function Recurrence:recursiveResizeZero(t, size, batchSize)
      if torch.isStorage(size) or type(size[1]) == 'number' then
         t = torch.isTensor(t) and t:type() == self._type and t or torch.Tensor():type(self._type)
         local sizes = { batchSize }
         for i = 1, #size do sizes[#sizes + 1] = size[i] end
         return t:resize(torch.LongStorage(sizes)):zero()
      end
      t = torch.type(t) == 'table' and t or {}
      for i, inner in ipairs(size) do t[i] = self:recursiveResizeZero(t[i], inner, batchSize) end
      return t
   end

   function Recurrence:zeroState(input)
      if input ~= nil then
         local batch = self:getBatchSize(input)
         self.zeroTensor = self:recursiveResizeZero(self.zeroTensor, self.outputSize, batch)
      end
      return { self.zeroTensor }
   end

   Recurrence.__tostring__ = nn.Decorator.__tostring__
end

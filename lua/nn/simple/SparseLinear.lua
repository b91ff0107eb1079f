-- nn.SparseLinear: Linear for inputs that are lists of {index, value}.

local torch = require 'torch'
local initialization = require 'nn.module.initialization'
local expect = require 'nn.checks.expect'

-- States that Torch7's zeroGradParameters reads: gradients of no input, or of several.
local NO_INPUT, SEVERAL = 0, 2

return function(SparseLinear, parent, nn)

   function SparseLinear:__init(inputSize, outputSize, doGradInput)
      parent.__init(self)
      self.weightDecay, self.sparseUpdate = 0, NO_INPUT
      self.doGradInput = doGradInput or false
      self.weight = torch.Tensor(outputSize, inputSize):zero()
      self.gradWeight = torch.Tensor(outputSize, inputSize):zero()
      self.bias, self.gradBias = torch.Tensor(outputSize):zero(), torch.Tensor(outputSize):zero()
      self:reset()
   end

   function SparseLinear:reset(stdv)
      initialization.uniform(nn, self, stdv, self.weight:size(2))
      self.bias:mul(0.000001)
   end

   local function bad(self, input)
      expect.argument_error(self, 'input', 'pairs n x 2, a table of such, or a batch of them', input)
   end

   -- The input as a list of samples, each with a LongTensor of indices, checked, and a tensor of values;
   -- whether it is a batch.
   function SparseLinear:reshapeInput(input)
      local samples, columns = {}, self.weight:size(2)
      local function sample(index, value)
         index = index:long():contiguous()
         if index:nElement() > 0 then
            local low, high = index:min(), index:max()
            if low < 1 or high > columns then
               expect.fail(self, 'indices must be from 1 to %d (got %.0f)', columns, low < 1 and low or high)
            end
         end
         samples[#samples + 1] = { index, value:type(self.weight:type()):contiguous() }
      end
      local function pairs_of(t)
         if not torch.isTensor(t) or t:dim() ~= 0 and (t:dim() ~= 2 or t:size(2) ~= 2) then bad(self, input) end
         if t:dim() == 0 then
            sample(torch.LongTensor(), self.weight.new())
         else
            sample(t:select(2, 1), t:select(2, 2))
         end
      end
      if torch.isTensor(input) then
         if input:dim() == 3 then
            for i = 1, input:size(1) do pairs_of(input[i]) end
            return samples, true
         end
         pairs_of(input)
         return samples, false
      end
      expect.table(self, input)
      -- An old format: a table of keys and one of values.
      if #input == 2 and type(input[1]) == 'table' and type(input[2]) == 'table' then
         for i, keys in ipairs(input[1]) do
            if not torch.isTensor(keys) or not torch.isTensor(input[2][i]) or
               keys:nElement() ~= input[2][i]:nElement() then
               bad(self, input)
            end
            sample(keys:view(-1), input[2][i]:view(-1))
         end
         return samples, true
      end
      for _, t in ipairs(input) do pairs_of(t) end
      return samples, true
   end

   function SparseLinear:updateOutput(input)
      local samples, batched = self:reshapeInput(input)
      local outputs = self.weight:size(1)
      self.output:resize(#samples, outputs)
      for i, s in ipairs(samples) do
         local y = self.output[i]:copy(self.bias)
         if s[1]:nElement() > 0 then y:addmv(1, self.weight:index(2, s[1]), s[2]) end
      end
      if not batched then self.output:resize(outputs) end
      return self.output
   end

   function SparseLinear:accGradParameters(input, gradOutput, scale)
      scale = scale or 1
      local samples = self:reshapeInput(input)
      local g = expect.gradient_rows(self, gradOutput, #samples, self.weight:size(1))
      self.sparseUpdate = SEVERAL
      for i, s in ipairs(samples) do
         if s[1]:nElement() > 0 then
            self.gradWeight:indexAdd(2, s[1], torch.ger(g[i], s[2]):mul(scale))
         end
         self.gradBias:add(scale, g[i])
      end
      if self.weightDecay ~= 0 then self.gradWeight:add(self.weightDecay, self.weight) end
   end

   function SparseLinear:zeroGradParameters()
      parent.zeroGradParameters(self)
      self.sparseUpdate = NO_INPUT
   end

   -- The gradient with respect to every input, if it is asked for: a table of pairs for each sample, or a tensor of all
   -- for an input that is one. As in the original, such an input has a tensor in any case.
   function SparseLinear:updateGradInput(input, gradOutput)
      local is_tensor = torch.isTensor(input) and input:dim() == 3
      self.gradInput = {}
      if not self.doGradInput then
         if is_tensor then self.gradInput = self.weight.new():resize(input:size()):zero() end
         return self.gradInput
      end
      local samples = self:reshapeInput(input)
      local g = expect.gradient_rows(self, gradOutput, #samples, self.weight:size(1))
      local inputs = self.weight:size(2)
      for i = 1, #samples do
         local pairs_ = self.weight.new(inputs, 2)
         pairs_:select(2, 1):copy(torch.range(1, inputs))
         pairs_:select(2, 2):copy(torch.mv(self.weight:t(), g[i]))
         self.gradInput[i] = pairs_
      end
      if is_tensor then self.gradInput = torch.cat(self.gradInput, 1):view(#samples, inputs, 2) end
      return self.gradInput
   end

   function SparseLinear:clearState()
      self.output:set()
      self.gradInput = self.output.new()
      return self
   end
end

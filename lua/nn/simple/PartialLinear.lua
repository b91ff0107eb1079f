-- nn.PartialLinear: Linear that computes only some of its outputs, a partition that may change.

local torch = require 'torch'
local expect = require 'nn.checks.expect'

return function(PartialLinear, parent, nn)

   function PartialLinear:__init(inputsize, outputsize, bias)
      parent.__init(self)
      if bias == nil then bias = true end
      -- The rows of the weight come from a table of vectors.
      local both = nn.ParallelTable():add(nn.Identity()):add(nn.LookupTable(outputsize, inputsize))
      self.network = nn.Sequential():add(both):add(nn.MM(false, true))
      if bias then self.bias, self.gradBias = torch.Tensor(1, outputsize):zero(), torch.Tensor(1, outputsize) end
      self.inputsize, self.outputsize = inputsize, outputsize
      self.allcolumns = torch.range(1, outputsize)
      self:resetPartition()
   end

   function PartialLinear:setPartition(indices)
      self.partition = expect.tensor(self, indices, 'indices'):type(self.allcolumns:type())
   end

   function PartialLinear:resetPartition() self.partition = self.allcolumns end

   function PartialLinear:parameters()
      local parameters, gradients = self.network:parameters()
      local p, g = { parameters[1] }, { gradients[1] }
      if self.bias then p[2], g[2] = self.bias, self.gradBias end
      return p, g
   end

   function PartialLinear:updateOutput(input)
      expect.rows(self, input, self.inputsize)
      self.output:set(self.network:forward { input, self.partition })
      if self.bias then
         local some = self.bias:index(2, self.partition:long())
         self.output:add(some:expandAs(self.output))
      end
      return self.output
   end

   function PartialLinear:updateGradInput(input, gradOutput)
      if self.gradInput == nil then return nil end
      self.network:updateGradInput({ input, self.partition }, gradOutput)
      self.gradInput:set(self.network.gradInput[1])
      return self.gradInput
   end

   -- Calls a method of the network that accumulates, and adds the gradient of the bias times a scale.
   local function accumulate(self, name, input, gradOutput, factor, bias, scale)
      self.network[name](self.network, { input, self.partition }, gradOutput, factor)
      if self.bias then bias:indexAdd(2, self.partition:long(), torch.mul(gradOutput:sum(1), scale)) end
   end

   function PartialLinear:accGradParameters(input, gradOutput, scale)
      scale = scale or 1
      accumulate(self, 'accGradParameters', input, gradOutput, scale, self.gradBias, scale)
   end

   function PartialLinear:accUpdateGradParameters(input, gradOutput, lr)
      accumulate(self, 'accUpdateGradParameters', input, gradOutput, lr, self.bias, -lr)
   end

   function PartialLinear:sharedAccUpdateGradParameters(input, gradOutput, lr)
      self:accUpdateGradParameters(input, gradOutput, lr)
   end

   function PartialLinear:__tostring__()
      return string.format('%s(%d -> %d)', torch.type(self), self.inputsize, self.outputsize) ..
         (self.bias == nil and ' without bias' or '')
   end
end

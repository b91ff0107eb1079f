-- nn.Bilinear: y = x1' W x2 + b for pairs of rows of two matrices, with a W for each output.

local torch, pair = require 'torch', require 'nn.tables.pair'
local initialization, mixins = require 'nn.module.initialization', require 'nn.module.mixins'
local expect = require 'nn.checks.expect'

return function(Bilinear, parent, nn)

   function Bilinear:__init(inputSize1, inputSize2, outputSize, bias)
      parent.__init(self)
      if not (type(inputSize1) == 'number' and type(inputSize2) == 'number' and type(outputSize) == 'number') or
         not (inputSize1 >= 1 and inputSize2 >= 1 and outputSize >= 1) then
         expect.fail(self, 'inputSize1, inputSize2 and outputSize must be at least 1 (got %s, %s, %s)',
            expect.describe(inputSize1), expect.describe(inputSize2), expect.describe(outputSize))
      end
      self.weight = torch.Tensor(outputSize, inputSize1, inputSize2)
      self.gradWeight = torch.Tensor(outputSize, inputSize1, inputSize2)
      if bias == nil or bias then self.bias, self.gradBias = torch.Tensor(outputSize), torch.Tensor(outputSize) end
      self.gradInput = { torch.Tensor(), torch.Tensor() }
      self:reset()
   end

   function Bilinear:reset(stdv)
      initialization.uniform(nn, self, stdv, self.weight:size(2))
      return self
   end

   local function parts(self, input)
      expect.table(self, input)
      local weight, a, b = self.weight, input[1], input[2]
      if not (torch.isTensor(a) and torch.isTensor(b) and a:dim() == 2 and b:dim() == 2 and a:size(1) == b:size(1) and
         a:size(2) == weight:size(2) and b:size(2) == weight:size(3)) then
         expect.fail(self, 'two matrices must be of size n x %d and n x %d (got %s)', weight:size(2), weight:size(3),
            expect.describe(input))
      end
      return a:contiguous(), b:contiguous(), weight:size(1), weight:size(2), weight:size(3), a:size(1)
   end

   -- x1' W for all outputs: batch x (outputs in2), as one product with W laid out as in1 x (outputs in2).
   local function transposed_weight(self, outputs, n1, n2)
      self._turned = self._turned or self.weight.new()
      self._turned:resize(n1, outputs, n2):copy(self.weight:transpose(1, 2))
      return self._turned:view(n1, outputs * n2)
   end

   function Bilinear:updateOutput(input)
      local a, b, outputs, n1, n2, batch = parts(self, input)
      self.buff1 = self.buff1 or a.new()
      self.buff1:resize(batch, outputs * n2):mm(a, transposed_weight(self, outputs, n1, n2))
      local products = self.buff1:view(batch, outputs, n2)
      self.output:resize(batch, outputs, 1):bmm(products, b:view(batch, n2, 1))
      self.output:resize(batch, outputs)
      if self.bias then self.output:add(self.bias:contiguous():view(1, outputs):expandAs(self.output)) end
      return self.output
   end

   -- The outer products of gradOutput and b: batch x (outputs in2).
   local function outer(self, g, b, batch, outputs, n2)
      self.buff2 = self.buff2 or b.new()
      self.buff2:resize(batch, outputs, n2):bmm(g:view(batch, outputs, 1), b:view(batch, 1, n2))
      return self.buff2:view(batch, outputs * n2)
   end

   function Bilinear:updateGradInput(input, gradOutput)
      pair.ensure_gradients(self, input)
      if self.gradInput == nil then return nil end
      local a, b, outputs, n1, n2, batch = parts(self, input)
      local g = expect.gradient_rows(self, gradOutput, batch, outputs)
      local w = transposed_weight(self, outputs, n1, n2)
      self.gradInput[1]:resize(batch, n1):mm(outer(self, g, b, batch, outputs, n2), w:t())
      -- x1' W again, times gradOutput.
      self.buff1 = self.buff1 or a.new()
      self.buff1:resize(batch, outputs * n2):mm(a, w)
      self.gradInput[2]:resize(batch, 1, n2):bmm(g:view(batch, 1, outputs), self.buff1:view(batch, outputs, n2))
      self.gradInput[2]:resize(batch, n2)
      return self.gradInput
   end

   function Bilinear:accGradParameters(input, gradOutput, scale)
      scale = scale or 1
      local a, b, outputs, n1, n2, batch = parts(self, input)
      local g = expect.gradient_rows(self, gradOutput, batch, outputs)
      self._product = self._product or a.new()
      self._product:resize(n1, outputs * n2):mm(a:t(), outer(self, g, b, batch, outputs, n2))
      self.gradWeight:add(scale, self._product:view(n1, outputs, n2):transpose(1, 2))
      if self.bias then self.gradBias:add(scale, g:sum(1):view(outputs)) end
   end

   mixins.shared_update(Bilinear)

   function Bilinear:__tostring__()
      return string.format('%s(%dx%d -> %d) %s', torch.type(self), self.weight:size(2), self.weight:size(3),
         self.weight:size(1), self.bias == nil and ' without bias' or '')
   end

   Bilinear.clearState = pair.clear('buff1', 'buff2', '_turned', '_product')
end

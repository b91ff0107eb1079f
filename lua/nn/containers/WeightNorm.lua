-- nn.WeightNorm: a module whose weight is a direction v and a length g for each output: w = g v / |v|.

local torch = require 'torch'
local expect = require 'nn.checks.expect'

return function(WeightNorm, parent, nn)

   -- The norms of rows, offset so that they are never 0.
   local function norms(v) return torch.cmul(v, v):sum(2):add(1e-4):sqrt() end

   -- The weight with the dimension of outputs first, the others in their order.
   function WeightNorm:permuteIn(weight)
      expect.tensor(self, weight, 'weight')
      for d = self.outputDim, 2, -1 do weight = weight:transpose(d - 1, d) end
      return weight
   end

   -- The inverse of permuteIn.
   function WeightNorm:permuteOut(permuted)
      expect.tensor(self, permuted, 'the permuted weight')
      for d = 2, self.outputDim do permuted = permuted:transpose(d - 1, d) end
      return permuted
   end

   -- The weight as a matrix, a row for each output.
   local function rows_of(self, weight)
      return self:permuteIn(weight):contiguous():view(weight:size(self.outputDim), -1)
   end

   -- `outputDim` is the dimension of the weight that counts outputs.
   function WeightNorm:__init(module, outputDim)
      parent.__init(self, module)
      self.output, self.gradInput = torch.Tensor():type(module._type), torch.Tensor():type(module._type)
      self.outputDim = expect.integer(self, 'outputDim', outputDim or 1, 1)
      local weight = module.weight
      if not torch.isTensor(weight) or self.outputDim > weight:dim() then
         expect.fail(self, 'module must have a weight with a dimension %d (got %s)', self.outputDim,
            expect.name(module))
      end
      self.bias, self.gradBias = module.bias, module.gradBias
      self.weight, self.gradWeight = module.weight, module.gradWeight
      self.v = rows_of(self, weight):clone()
      self.g = self.v:norm(2, 2):clone()
      self.gradV, self.gradG = self.v.new():resizeAs(self.v):zero(), self.g.new():resizeAs(self.g):zero()
      self:keepSizes()
      self:resetInit()
   end

   -- Fields that Torch7's methods read, in files written here.
   function WeightNorm:keepSizes()
      local sizes, rows = self.weight:size(), self.v:size(1)
      self.weightSize, self.otherDims = sizes, self.v:size(2)
      self.viewIn, self.viewOut = self.v:size(), torch.LongStorage(#sizes):copy(sizes)
      for d = self.outputDim, 2, -1 do
         self.viewOut[d - 1], self.viewOut[d] = self.viewOut[d], self.viewOut[d - 1]
      end
      self._norm, self._scale = self.v.new(rows), self.v.new(rows)
   end

   -- Torch7's files omit the weight, which follows from v and g.
   function WeightNorm:upgrade()
      local module = self.modules[1]
      if not module.weight then
         module.weight, module.gradWeight = self.v.new(self.weightSize), self.v.new(self.weightSize):zero()
         self:updateWeight()
      end
      self.weight, self.gradWeight = module.weight, module.gradWeight
   end

   -- Draws directions, sets g to their lengths, and zeros the bias.
   function WeightNorm:resetInit()
      self.v:normal(0, (2 / self.v:size(2)) ^ 0.5)
      self.g:copy(self.v:norm(2, 2))
      if self.bias then self.bias:zero() end
      return self
   end

   function WeightNorm:updateWeight()
      self._norm = norms(self.v)
      local scale = torch.cdiv(self.g, self._norm)
      self._scale = scale:view(-1)
      local scaled = torch.cmul(self.v, scale:expandAs(self.v))
      local weight = self.modules[1].weight
      weight:copy(self:permuteOut(scaled:view(self:permuteIn(weight):size())))
   end

   function WeightNorm:updateOutput(input)
      if self.train ~= false then self:updateWeight() end
      self.output:set(self.modules[1]:updateOutput(input))
      return self.output
   end

   function WeightNorm:updateGradInput(input, gradOutput)
      self.gradInput:set(self.modules[1]:updateGradInput(input, gradOutput))
      return self.gradInput
   end

   function WeightNorm:accGradParameters(input, gradOutput, scale)
      local module = self.modules[1]
      local before = module.gradWeight:clone()
      module.gradWeight:zero()
      module:accGradParameters(input, gradOutput, scale)
      local dw = rows_of(self, module.gradWeight)
      local norm = norms(self.v)
      local along = torch.cmul(dw, self.v):sum(2):cdiv(norm)
      self.gradG:add(along)
      local ratio = torch.cdiv(self.g, norm)
      self.gradV:add(torch.cmul(dw, ratio:expandAs(dw)))
      self.gradV:add(-1, torch.cmul(self.v, torch.cmul(ratio, along):cdiv(norm):expandAs(self.v)))
      module.gradWeight:copy(before)
   end

   -- Steps along the gradients of v and g.
   function WeightNorm:accUpdateGradParameters(input, gradOutput, lr)
      self:zeroGradParameters()
      self:accGradParameters(input, gradOutput, 1)
      self:updateParameters(lr)
   end

   -- Those of Module, not of Container: `parameters` lists v and g.
   WeightNorm.updateParameters, WeightNorm.zeroGradParameters = nn.Module.updateParameters, nn.Module.zeroGradParameters

   function WeightNorm:parameters()
      if self.bias then return { self.v, self.g, self.bias }, { self.gradV, self.gradG, self.gradBias } end
      return { self.v, self.g }, { self.gradV, self.gradG }
   end

   -- The weight is computed once; forward then uses it unchanged.
   function WeightNorm:evaluate()
      if self.train ~= false then self:updateWeight() end
      parent.evaluate(self)
   end
end

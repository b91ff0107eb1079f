-- nn.LinearWeightNorm: Linear whose weight is a direction v and a length g for each output: w = g v / |v|.

local torch = require 'torch'
local expect = require 'nn.checks.expect'

return function(LinearWeightNorm, parent, nn)

   function LinearWeightNorm:__init(inputSize, outputSize, bias, eps)
      parent.__init(self, inputSize, outputSize, bias)
      self.eps = eps or 1e-16
      self.inputSize, self.outputSize = inputSize, outputSize
      self.v, self.gradV = torch.Tensor(outputSize, inputSize), torch.Tensor(outputSize, inputSize)
      self.g, self.gradG = torch.Tensor(outputSize, 1), torch.Tensor(outputSize, 1)
      self.norm, self.scale = torch.Tensor(outputSize, 1), torch.Tensor(outputSize, 1)
      self:initFromWeight()
   end

   function LinearWeightNorm:upgrade()
      self.norm, self.scale = self.norm or self.v.new(), self.scale or self.v.new()
      self.gradWeight = self.gradWeight or self.v.new(self.v:size()):zero()
   end

   function LinearWeightNorm:initFromWeight(weight)
      weight = weight or self.weight
      self.g:norm(weight, 2, 2):clamp(self.eps, 1 / 0)
      self.v:copy(weight)
      return self
   end

   function LinearWeightNorm.fromLinear(linear)
      local outputs, inputs = linear.weight:size(1), linear.weight:size(2)
      local made = nn.LinearWeightNorm(inputs, outputs, linear.bias ~= nil)
      made.weight:copy(linear.weight)
      made:initFromWeight()
      if linear.bias then made.bias:copy(linear.bias) end
      return made
   end

   function LinearWeightNorm:toLinear()
      local outputs, inputs = self.weight:size(1), self.weight:size(2)
      local linear = nn.Linear(inputs, outputs, self.bias ~= nil)
      self:updateWeightMatrix()
      linear.weight:copy(self.weight)
      if self.bias then linear.bias:copy(self.bias) end
      return linear
   end

   function LinearWeightNorm:parameters()
      if self.bias then return { self.v, self.g, self.bias }, { self.gradV, self.gradG, self.gradBias } end
      return { self.v, self.g }, { self.gradV, self.gradG }
   end

   function LinearWeightNorm:reset(stdv)
      parent.reset(self, stdv)
      if self.v then self:initFromWeight() end
      return self
   end

   function LinearWeightNorm:updateWeightMatrix()
      self.norm:norm(self.v, 2, 2):clamp(self.eps, 1 / 0)
      self.scale:cdiv(self.g, self.norm)
      self.weight:cmul(self.v, self.scale:expandAs(self.v))
   end

   function LinearWeightNorm:updateOutput(input)
      if self.train ~= false or self.weight:nElement() == 0 then self:updateWeightMatrix() end
      return parent.updateOutput(self, input)
   end

   function LinearWeightNorm:accGradParameters(input, gradOutput, scale)
      self.gradWeight:zero()
      parent.accGradParameters(self, input, gradOutput, scale or 1)
      local v, dw = self.v, self.gradWeight
      self.norm:norm(v, 2, 2):clamp(self.eps, 1 / 0)
      self.scale:cdiv(self.g, self.norm)
      local along = torch.cmul(dw, v):sum(2):cdiv(self.norm)
      self.gradG:add(along)
      self.gradV:add(torch.cmul(dw, self.scale:expandAs(dw)))
      self.gradV:add(-1, torch.cmul(v, torch.cmul(self.scale, along):cdiv(self.norm):expandAs(v)))
   end

   -- The gradient of v needs the old g: both accumulate separately.
   function LinearWeightNorm:defaultAccUpdateGradParameters(input, gradOutput, lr)
      expect.number(self, 'lr', lr)
      local gradV, gradG, gradBias = self.gradV, self.gradG, self.gradBias
      self.gradV, self.gradG, self.gradBias = gradV:clone():zero(), gradG:clone():zero(), self.bias
      self:accGradParameters(input, gradOutput, -lr)
      self.v:add(self.gradV)
      self.g:add(self.gradG)
      self.gradV, self.gradG, self.gradBias = gradV, gradG, gradBias
   end

   -- After clearState the weight is empty, the direction is not.
   function LinearWeightNorm:__tostring__()
      return string.format('%s(%d -> %d)', torch.type(self), self.v:size(2), self.v:size(1)) ..
         (self.bias == nil and ' without bias' or '')
   end

   -- The weight is made once; forward then takes it as it is.
   function LinearWeightNorm:evaluate()
      if self.train ~= false then self:updateWeightMatrix() end
      parent.evaluate(self)
      return self
   end
end

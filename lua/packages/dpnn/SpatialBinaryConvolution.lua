-- nn.SpatialBinaryConvolution: a convolution without a bias whose weights are signs, times the mean of the absolute
-- values for each output plane (Rastegari et al., 2016). As in the original, the weight holds the signs from a forward
-- in training to accGradParameters, which puts it back; gradients at the input are scaled by the mean for each input
-- plane, and those of the weight are not scaled.

local check = require 'torch.base.check'

return function(Convolution, parent)

   function Convolution:__init(...)
      parent.__init(self, ...)
      self:noBias()
      self.train = true
      local area = self.kW * self.kH
      self.iwh, self.owh = self.nInputPlane * area, self.nOutputPlane * area   -- Torch7's methods read them.
   end

   local function signs_of(weight) return weight:ge(0):typeAs(weight):mul(2):add(-1) end

   -- The weight in place of its signs.
   local function restore(self)
      if self._binary then self.weight:copy(self.tempWeight) end
      self._binary = nil
   end

   -- The same, except that what a program has written over the signs stays.
   local function restore_unwritten(self)
      if self._binary and not self.weight:equal(signs_of(self.tempWeight)) then self._binary = nil end
      restore(self)
   end

   -- Means of absolute values: of the planes of a weight's first dimension.
   local function means_of(weight)
      local rows = weight:contiguous():view(weight:size(1), -1)
      return rows:clone():abs():mean(2):view(-1)
   end

   -- Keeps the weight in tempWeight, and leaves its signs.
   function Convolution:binarizeWeight()
      restore_unwritten(self)
      check.dimensions(self, 'weight', check.real(self, 'weight', self.weight), 4, 4)
      local weight = self.weight
      self.tempWeight = weight:clone()
      self.alphas, self.gradInputAlphas = means_of(weight), means_of(weight:transpose(1, 2))
      weight:copy(signs_of(weight))
      self._binary = true
   end

   -- Multiplies maps by a number for each plane.
   local function scale_planes(maps, numbers)
      local planes = maps:dim() == 4 and numbers:view(1, -1, 1, 1) or numbers:view(-1, 1, 1)
      return maps:cmul(planes:expandAs(maps))
   end

   function Convolution:updateOutput(input)
      self:binarizeWeight()
      local ok, output = pcall(parent.updateOutput, self, input)
      if not ok or not self.train then restore(self) end
      if not ok then error(output, 0) end
      self.output = scale_planes(output, self.alphas)
      return self.output
   end

   function Convolution:updateGradInput(input, gradOutput)
      if not self.gradInputAlphas then check.fail(self, 'backward called before forward') end
      self.gradInput = scale_planes(parent.updateGradInput(self, input, gradOutput), self.gradInputAlphas)
      return self.gradInput
   end

   function Convolution:accGradParameters(input, gradOutput, scale)
      parent.accGradParameters(self, input, gradOutput, scale)
      restore(self)
   end

   -- A change of the type must not lose the weight.
   function Convolution:type(name, cache)
      restore_unwritten(self)
      if name then self.tempWeight, self.alphas, self.gradInputAlphas = nil, nil, nil end
      return parent.type(self, name, cache)
   end

   function Convolution:__tostring__() return 'Binary Convolution: ' .. parent.__tostring__(self) end
end

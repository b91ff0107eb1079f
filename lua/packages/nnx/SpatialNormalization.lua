-- nn.SpatialNormalization: maps less the weighted means of the neighbors in all of them, divided by the deviations. Its
-- successor is nn.SpatialContrastiveNormalization.

local _G = _G
local torch = require 'torch'
local check, xlua = require 'torch.base.check', require 'xlua'

return function(Norm, parent, nn)

   -- The sum over the planes of their convolutions with a kernel, for each of `planes`. Zeros are around the maps, one
   -- less after them where the kernel is even.
   local function convolution(kernel, planes)
      local height, width = kernel:size(1), kernel:size(2)
      local down, across = math.floor(height / 2), math.floor(width / 2)
      local map = nn.SpatialConvolutionMap(nn.tables.oneToOne(planes), width, height)
      for i = 1, planes do map.weight[i]:copy(kernel) end
      map.bias:zero()
      local function less(size) return size % 2 == 0 and 1 or 0 end
      return nn.Sequential():add(nn.SpatialPadding(across, across - less(width), down, down - less(height)))
         :add(map):add(nn.Sum(1)):add(nn.Replicate(planes))
   end

   local function both(kernels, planes)
      if #kernels == 1 then return convolution(kernels[1], planes) end
      return nn.Sequential():add(convolution(kernels[1], planes)):add(convolution(kernels[2], planes))
   end

   -- The kernels, which add up to 1 from now on.
   local function kernels_of(kernel)
      local kernels = type(kernel) == 'table' and { kernel[1], kernel[2] } or { kernel }
      for i, t in ipairs(kernels) do
         check.real('SpatialNormalization', string.format('kernel[%d]', i), t)
         check.dimensions('SpatialNormalization', string.format('kernel[%d]', i), t, 2, 2)
         t:div(t:sum())
         for d, side in ipairs { 'height', 'width' } do
            if t:size(d) % 2 == 0 then _G.print(string.format('Warning, kernel %s is even -> not symetric padding',
               side)) end
         end
      end
      return kernels
   end

   function Norm:__init(...)
      parent.__init(self)
      _G.print('<SpatialNormalization> WARNING: this module has been deprecated,')
      _G.print(' please use SpatialContrastiveNormalization instead')
      local _, planes, kernel, threshold = xlua.unpack({ ... }, 'nn.SpatialNormalization', 'a contrast normalizer',
         { arg = 'nInputPlane', type = 'number', help = 'number of maps', req = true },
         { arg = 'kernel', type = 'torch.Tensor | table', help = 'a matrix, or two', req = true },
         { arg = 'threshold', type = 'number', help = 'the least deviation, by default the mean of all' })
      check.size('SpatialNormalization', 'nInputPlane', planes)
      self.kernel, self.nfeatures, self.fixedThres = kernel, planes, threshold
      local kernels = kernels_of(kernel)
      self.convo, self.convostd = both(kernels, planes), both(kernels, planes)
      self.squareMod, self.sqrtMod, self.subtractMod = nn.Square(), nn.Sqrt(), nn.CSubTable()
      self.meanDiviseMod, self.stdDiviseMod, self.diviseMod = nn.CDivTable(), nn.CDivTable(), nn.CDivTable()
      self.thresMod, self.coef = nn.Threshold(), torch.Tensor(1, 1)
   end

   -- A single map may come without the dimension of the planes.
   local function planes_of(self, input)
      check.real(self, 'input', input)
      check.dimensions(self, 'input', input, 2, 3)
      local maps = input:dim() == 2 and input:contiguous():view(1, input:size(1), input:size(2)) or input
      if maps:size(1) ~= self.nfeatures then
         check.argument_error(self, 'input', string.format('%d maps', self.nfeatures), input)
      end
      return maps
   end

   -- The sums of a kernel over maps of ones: smaller at the edges.
   local function coefficients(self, maps)
      if not self.coef:isSameSizeAs(maps) then
         self.coef = self.convo:updateOutput(maps.new(maps:size()):fill(1)):clone()
      end
      return self.coef
   end

   function Norm:updateOutput(input)
      self.input = planes_of(self, input)
      local coef = coefficients(self, self.input)
      self.inConvo = self.convo:updateOutput(self.input)
      self.inMean = self.meanDiviseMod:updateOutput { self.inConvo, coef }
      self.inputZeroMean = self.subtractMod:updateOutput { self.input, self.inMean }
      self.inputZeroMeanSq = self.squareMod:updateOutput(self.inputZeroMean)
      self.inConvoVar = self.convostd:updateOutput(self.inputZeroMeanSq)
      self.inStdDevNotUnit = self.sqrtMod:updateOutput(self.inConvoVar)
      self.inStdDev = self.stdDiviseMod:updateOutput { self.inStdDevNotUnit, coef }
      local threshold = self.fixedThres or math.max(self.inStdDev:mean(), 1e-3)
      self.thresMod.threshold, self.thresMod.val = threshold, threshold
      self.stdDev = self.thresMod:updateOutput(self.inStdDev)
      self.output = self.diviseMod:updateOutput { self.inputZeroMean, self.stdDev }
      return self.output
   end

   -- The smallest deviation counts as a constant.
   function Norm:updateGradInput(input, gradOutput)
      planes_of(self, input)
      check.same_count(self, 'gradOutput', gradOutput, self.output)
      gradOutput = gradOutput:contiguous():viewAs(self.output)
      local divided = { self.inputZeroMean, self.stdDev }
      local atZeroMean, atStdDev = unpack(self.diviseMod:updateGradInput(divided, gradOutput))
      local gradient = self.thresMod:updateGradInput(self.inStdDev, atStdDev)
      gradient = self.stdDiviseMod:updateGradInput({ self.inStdDevNotUnit, self.coef }, gradient)[1]
      gradient = self.sqrtMod:updateGradInput(self.inConvoVar, gradient)
      gradient = self.convostd:updateGradInput(self.inputZeroMeanSq, gradient)
      atZeroMean:add(self.squareMod:updateGradInput(self.inputZeroMean, gradient))
      local atInput, atMean = unpack(self.subtractMod:updateGradInput({ self.input, self.inMean }, atZeroMean))
      gradient = self.meanDiviseMod:updateGradInput({ self.inConvo, self.coef }, atMean)[1]
      self.gradInput:resizeAs(self.input):copy(atInput):add(self.convo:updateGradInput(self.input, gradient))
      return self.gradInput
   end
end

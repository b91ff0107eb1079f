-- nn.Inception: convolutions of several sizes, and a pooling, over the same maps, their outputs side by side.

local check = require 'torch.base.check'

return function(Inception, parent, nn)

   local FIELDS = { 'inputSize', 'outputSize', 'reduceSize', 'reduceStride', 'transfer', 'batchNorm', 'padding',
      'kernelSize', 'kernelStride', 'poolSize', 'poolStride', 'pool' }

   -- The sizes of the image with which networks are checked.
   local WIDTH, HEIGHT = 100, 200

   -- Width and height of the output of a window.
   local function output_size(kW, kH, dW, dH, padW, padH)
      return math.floor((WIDTH + 2 * padW - kW) / dW + 1), math.floor((HEIGHT + 2 * padH - kH) / dH + 1)
   end

   local function take_fields(self, config)
      check.kind('Inception', 'configuration', config, 'table')
      for _, key in ipairs { 'outputSize', 'reduceSize' } do check.kind('Inception', key, config[key], 'table') end
      check.size('Inception', 'inputSize', config.inputSize)
      for _, name in ipairs(FIELDS) do self[name] = config[name] end
      self.reduceStride, self.transfer = self.reduceStride or {}, self.transfer or nn.ReLU()
      if self.padding == nil then self.padding = true end
      self.kernelSize, self.kernelStride = self.kernelSize or { 5, 3 }, self.kernelStride or { 1, 1 }
      self.poolSize, self.poolStride = self.poolSize or 3, self.poolStride or 1
      self.pool = self.pool or nn.SpatialMaxPooling(self.poolSize, self.poolSize, self.poolStride, self.poolStride)
   end

   -- config: inputSize, and for each convolution outputSize, reduceSize, reduceStride of the 1 x 1 convolution ahead of
   -- it, kernelSize and kernelStride; reduceSize[#kernelSize + 1] maps follow the pool, and reduceSize[#kernelSize + 2]
   -- are a plain 1 x 1 convolution. `padding` keeps the sizes of maps, batchNorm normalizes after each convolution, and
   -- transfer is the module after it.
   function Inception:__init(config)
      take_fields(self, config)
      local width, height
      local function compare(where, ...)
         local w, h = output_size(...)
         width, height = width or w, height or h
         if w ~= width or h ~= height then
            _G.print('dpnn.Inception: Warning: Inconsistent output sizes' .. where .. '.')
         end
      end
      local function followed(part, maps)
         if self.batchNorm then part:add(nn.SpatialBatchNormalization(maps)) end
         return part:add(self.transfer:clone())
      end
      local function reduce(part, i)
         local maps, stride = self.reduceSize[i], self.reduceStride[i] or 1
         return followed(part:add(nn.SpatialConvolution(self.inputSize, maps, 1, 1, stride, stride)), maps)
      end
      local all = nn.DepthConcat(2)
      for i, size in ipairs(self.kernelSize) do
         local pad, stride = self.padding and math.floor(size / 2) or 0, self.kernelStride[i] or 1
         local part = reduce(nn.Sequential(), i)
         part:add(nn.SpatialConvolution(self.reduceSize[i], self.outputSize[i], size, size, stride, stride, pad, pad))
         all:add(followed(part, self.outputSize[i]))
         compare('', size, size, stride, stride, pad, pad)
      end
      local last, pool = #self.kernelSize, self.pool
      local pooled = nn.Sequential():add(pool)
      all:add(self.reduceSize[last + 1] and reduce(pooled, last + 1) or pooled)
      if pool.kW and pool.dW and pool.padW then
         compare(' in pooling', pool.kW, pool.kH, pool.dW, pool.dH, pool.padW, pool.padH)
      end
      if self.reduceSize[last + 2] then
         local stride = self.reduceStride[last + 2] or 1
         all:add(reduce(nn.Sequential(), last + 2))
         compare(' in 1x1 conv', 1, 1, stride, stride, 0, 0)
      end
      parent.__init(self, all)
   end

   -- A sample without a batch is a batch of one.
   function Inception:updateOutput(input)
      self.output = self:fromBatch(self.modules[1]:updateOutput(self:toBatch(input, 3)), 1)
      return self.output
   end

   function Inception:updateGradInput(input, gradOutput)
      local gradInput = self.modules[1]:updateGradInput(self:toBatch(input, 3), self:toBatch(gradOutput, 3))
      self.gradInput = self:fromBatch(gradInput, 1)
      return self.gradInput
   end

   function Inception:accGradParameters(input, gradOutput, scale)
      self.modules[1]:accGradParameters(self:toBatch(input, 3), self:toBatch(gradOutput, 3), scale)
   end
end

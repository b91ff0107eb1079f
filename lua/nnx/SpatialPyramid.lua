-- nn.SpatialPyramid: an image at several scales, a network for each, and their outputs at the scale of the image.
-- Focused on a pixel, networks see only the windows around it, and their outputs stay as they are.

local expect, fovea_scale = require 'nn.expect', require 'nnx.fovea_scale'

return function(Pyramid, parent, nn)

   -- kW x kH is what an output of a processor sees of its input, dW x dH the step between outputs.
   function Pyramid:__init(ratios, processors, kW, kH, dW, dH, xDimIn, yDimIn, xDimOut, yDimOut, prescaled_input)
      fovea_scale.check_ratios('SpatialPyramid', ratios, processors)
      local function size(what, value) return expect.size('SpatialPyramid', what, value) end
      self.kW, self.kH, self.dW, self.dH = size('kW', kW), size('kH', kH), size('dW', dW or 1), size('dH', dH or 1)
      xDimIn, yDimIn = size('xDimIn', xDimIn or 3), size('yDimIn', yDimIn or 2)
      xDimOut, yDimOut = size('xDimOut', xDimOut or 3), size('yDimOut', yDimOut or 2)
      self.ratios, self.processors, self.prescaled_input = ratios, processors, prescaled_input or false
      self.xDimIn, self.yDimIn, self.focused = xDimIn, yDimIn, false

      local function all() return self.prescaled_input and nn.ParallelTable() or nn.ConcatTable() end
      local function smaller(ratio)
         if self.prescaled_input then return nn.Identity() end
         return nn.SpatialReSamplingEx { rwidth = 1 / ratio, rheight = 1 / ratio, xDim = xDimIn, yDim = yDimIn,
            mode = 'average' }
      end
      local across, down = self.kW - self.dW, self.kH - self.dH
      local left, top = math.floor(across / 2), math.floor(down / 2)
      self.focused_pipeline, self.unfocused_pipeline = all(), all()
      for i, ratio in ipairs(ratios) do
         self.focused_pipeline:add(nn.Sequential():add(nn.SpatialPadding(0, 0, 0, 0, yDimIn, xDimIn))
            :add(smaller(ratio)):add(processors[i]))
         self.unfocused_pipeline:add(nn.Sequential():add(smaller(ratio))
            :add(nn.SpatialPadding(left, across - left, top, down - top, yDimIn, xDimIn)):add(processors[i])
            :add(nn.SpatialReSamplingEx { rwidth = ratio, rheight = ratio, xDim = xDimOut, yDim = yDimOut }))
      end
      parent.__init(self, self.unfocused_pipeline)
   end

   -- Looks at w x h outputs around the pixel in column x and row y; without a pixel at the whole image.
   function Pyramid:focus(x, y, w, h)
      self.focused = x ~= nil and y ~= nil
      self.modules[1] = self.focused and self.focused_pipeline or self.unfocused_pipeline
      if not self.focused then return self end
      self.x, self.y = expect.size(self, 'x', x), expect.size(self, 'y', y)
      w, h = expect.size(self, 'w', w or 1), expect.size(self, 'h', h or 1)
      self.winWidth, self.winHeight = {}, {}
      for i, ratio in ipairs(self.ratios) do
         self.winWidth[i] = ratio * ((w - 1) * self.dW + self.kW)
         self.winHeight[i] = ratio * ((h - 1) * self.dH + self.kH)
      end
      return self
   end

   -- Has the padding of each scale cut its window out of an image.
   function Pyramid:configureFocus(wImg, hImg)
      if self.x > wImg or self.y > hImg then
         expect.fail(self, 'focus must be on a pixel of the image of %d x %d (got x %d and y %d)', hImg, wImg, self.x,
            self.y)
      end
      for i, ratio in ipairs(self.ratios) do
         local padding, scale = self.focused_pipeline.modules[i].modules[1], self.prescaled_input and ratio or 1
         local function around(at, window, size)
            at, window, size = math.ceil(at / scale), window / scale, math.floor(size / scale)
            return math.ceil(window / 2) - at, math.floor(window / 2) + at - size
         end
         padding.pad_l, padding.pad_r = around(self.x, self.winWidth[i], wImg)
         padding.pad_t, padding.pad_b = around(self.y, self.winHeight[i], hImg)
      end
   end

   -- Raises unless all ratios divide the size of an image.
   function Pyramid:checkSize(input)
      for _, ratio in ipairs(self.ratios) do
         if input:size(self.xDimIn) % ratio ~= 0 or input:size(self.yDimIn) % ratio ~= 0 then
            expect.refuse(self, 'input', ('an image whose width and height are multiples of %d'):format(ratio), input)
         end
      end
   end

   -- Width and height of the image, of which a table has one at each scale.
   local function image_size(self, input)
      if not self.prescaled_input then
         expect.own(self, input)
         expect.dimensions(self, 'input', input, math.max(self.xDimIn, self.yDimIn), 4)
         self:checkSize(input)
         return input:size(self.xDimIn), input:size(self.yDimIn)
      end
      expect.kind(self, 'input', input, 'table')
      for i = 1, #self.ratios do
         expect.own(self, input[i], ('input[%d]'):format(i))
         expect.dimensions(self, ('input[%d]'):format(i), input[i], math.max(self.xDimIn, self.yDimIn), 4)
      end
      return input[1]:size(self.xDimIn) * self.ratios[1], input[1]:size(self.yDimIn) * self.ratios[1]
   end

   function Pyramid:updateOutput(input)
      local width, height = image_size(self, input)
      if self.focused then self:configureFocus(width, height) end
      return parent.updateOutput(self, input)
   end

   function Pyramid:updateGradInput(input, gradOutput)
      fovea_scale.check_gradients(self, gradOutput)
      return parent.updateGradInput(self, input, gradOutput)
   end

   function Pyramid:clearState()
      self.focused_pipeline:clearState()
      self.unfocused_pipeline:clearState()
      return parent.clearState(self)
   end

   function Pyramid:__tostring__()
      return ('nn.SpatialPyramid(%s) @ %s'):format(self.focused and 'focused' or 'unfocused', tostring(self.modules[1]))
   end
end

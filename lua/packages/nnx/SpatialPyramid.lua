-- nn.SpatialPyramid: an image at several scales, a network for each, and their outputs at the scale of the image.
-- Focused on a pixel, networks see only the windows around it, and their outputs stay as they are.

local expect, fovea_scale = require 'nn.checks.expect', require 'nnx.fovea_scale'

return function(Pyramid, parent, nn)

   -- kW x kH is what an output of a processor sees of its input, dW x dH the step between outputs.
   function Pyramid:__init(ratios, processors, kW, kH, dW, dH, xDimIn, yDimIn, xDimOut, yDimOut, prescaled_input)
      parent.__init(self)
      fovea_scale.check_ratios('SpatialPyramid', ratios, processors)
      local function size(what, value) return expect.size('SpatialPyramid', what, value) end
      self.kW, self.kH, self.dW, self.dH = size('kW', kW), size('kH', kH), size('dW', dW), size('dH', dH)
      self.ratios, self.processors, self.prescaled_input = ratios, processors, prescaled_input or false
      self.x, self.y, self.wFocus, self.hFocus, self.focused = 0, 0, 0, 0, false

      local function smaller(ratio)
         return nn.SpatialReSamplingEx { rwidth = 1 / ratio, rheight = 1 / ratio, xDim = xDimIn, yDim = yDimIn,
            mode = 'average' }
      end
      local across, down = kW - dW, kH - dH
      local left, top = math.floor(across / 2), math.floor(down / 2)
      self.focused_pipeline = nn.ConcatTable()
      self.unfocused_pipeline = prescaled_input and nn.ParallelTable() or nn.ConcatTable()
      for i, ratio in ipairs(ratios) do
         self.focused_pipeline:add(nn.Sequential():add(nn.SpatialPadding(0, 0, 0, 0, yDimIn, xDimIn))
            :add(smaller(ratio)):add(processors[i]))
         local whole = nn.Sequential()
         if not prescaled_input then
            whole:add(smaller(ratio)):add(nn.SpatialPadding(left, across - left, top, down - top, yDimIn, xDimIn))
         end
         whole:add(processors[i])
            :add(nn.SpatialReSamplingEx { rwidth = ratio, rheight = ratio, xDim = xDimOut, yDim = yDimOut })
         self.unfocused_pipeline:add(whole)
      end
   end

   -- Looks at w x h outputs around the pixel in column x and row y; without a pixel at the whole image.
   function Pyramid:focus(x, y, w, h)
      self.focused = x ~= nil and y ~= nil
      if not self.focused then return end
      self.x, self.y, w, h = x, y, w or 1, h or 1
      self.winWidth, self.winHeight = {}, {}
      for i, ratio in ipairs(self.ratios) do
         self.winWidth[i] = ratio * ((w - 1) * self.dW + self.kW)
         self.winHeight[i] = ratio * ((h - 1) * self.dH + self.kH)
      end
   end

   -- Has the padding of each scale cut its window out of an image.
   function Pyramid:configureFocus(wImg, hImg)
      for i = 1, #self.ratios do
         local padder = self.focused_pipeline.modules[i].modules[1]
         local width, height = self.winWidth[i], self.winHeight[i]
         padder.pad_l, padder.pad_r = math.ceil(width / 2) - self.x, self.x + math.floor(width / 2) - wImg
         padder.pad_t, padder.pad_b = math.ceil(height / 2) - self.y, self.y + math.floor(height / 2) - hImg
      end
   end

   -- Raises unless all ratios divide the size of an image.
   function Pyramid:checkSize(input)
      for _, ratio in ipairs(self.ratios) do
         if input:size(2) % ratio ~= 0 or input:size(3) % ratio ~= 0 then
            expect.argument_error(self, 'input', string.format('an image whose width and height are multiples of %d',
               ratio),
               input)
         end
      end
   end

   -- The network of all scales that is in use.
   local function pipeline(self) return self.focused and self.focused_pipeline or self.unfocused_pipeline end

   function Pyramid:updateOutput(input)
      if not self.prescaled_input then
         expect.tensor(self, input)
         expect.dimensions(self, 'input', input, 3, 4)
         self:checkSize(input)
      end
      if self.focused then self:configureFocus(input:size(3), input:size(2)) end
      self.output = pipeline(self):updateOutput(input)
      return self.output
   end

   function Pyramid:updateGradInput(input, gradOutput)
      self.gradInput = pipeline(self):updateGradInput(input, gradOutput)
      return self.gradInput
   end

   function Pyramid:accGradParameters(input, gradOutput, scale)
      pipeline(self):accGradParameters(input, gradOutput, scale)
   end

   function Pyramid:zeroGradParameters()
      self.focused_pipeline:zeroGradParameters()
      self.unfocused_pipeline:zeroGradParameters()
   end

   function Pyramid:updateParameters(learningRate) pipeline(self):updateParameters(learningRate) end

   function Pyramid:type(name, cache)
      if not name then return parent.type(self) end
      parent.type(self, name, cache)
      self.focused_pipeline:type(name, cache)
      self.unfocused_pipeline:type(name, cache)
      return self
   end

   function Pyramid:parameters() return pipeline(self):parameters() end

   function Pyramid:clearState()
      self.focused_pipeline:clearState()
      self.unfocused_pipeline:clearState()
      return parent.clearState(self)
   end

   function Pyramid:__tostring__()
      return string.format('SpatialPyramid (%s)\n%s', self.focused and 'focused' or 'unfocused',
         (string.gsub(tostring(pipeline(self)), '\n', '\n    |    ')))
   end
end

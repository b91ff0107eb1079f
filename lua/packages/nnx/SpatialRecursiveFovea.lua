-- nn.SpatialRecursiveFovea: an image at several scales, from the smallest to the largest: each network sees its scale
-- and the output of the previous network. The last output is that of the fovea. With criterions, updateOutput takes a
-- target, too, and gives the mean of the losses of all scales after the output; backward is that of the losses.

local _G = _G
local torch = require 'torch'
local check, fovea_scale, xlua = require 'torch.base.check', require 'nnx.fovea_scale', require 'xlua'

local apply_modules = fovea_scale.apply_modules

return function(Fovea, parent, nn)

   fovea_scale.add_methods(Fovea)

   function Fovea:__init(...)
      parent.__init(self)
      local name = 'SpatialRecursiveFovea'
      xlua.unpack_class(self, { ... }, 'nn.' .. name, 'an image at several scales, and a network for each',
         { arg = 'nInputPlane', type = 'number', help = 'maps of the image', req = true },
         { arg = 'nRecursivePlane', type = 'number', help = 'maps of an output that the next scale sees', req = true },
         { arg = 'ratios', type = 'table', help = 'by how much the image is reduced', req = true },
         { arg = 'processors', type = 'table', help = 'a network for each scale', req = true },
         { arg = 'preProcessors', type = 'table', help = 'modules for the reduced images' },
         { arg = 'postProcessors', type = 'table', help = 'modules for the outputs' },
         { arg = 'criterions', type = 'table', help = 'a criterion for the output of each scale' },
         { arg = 'fov', type = 'number', help = 'pixels that an output of a processor sees', default = 1 },
         { arg = 'batchSize', type = 'number', help = 'outputs at a focus that count' },
         { arg = 'sub', type = 'number', help = 'pixels between outputs', default = 1 },
         { arg = 'scaleTargetValues', type = 'boolean', help = 'whether targets shrink, too', default = false },
         { arg = 'verbose', type = 'boolean', help = 'prints the module', default = true })
      self.batchSize = self.batchSize or self.fov / self.sub
      fovea_scale.check_ratios(name, self.ratios, self.processors)
      for _, field in ipairs { 'preProcessors', 'postProcessors', 'criterions' } do self[field] = self[field] or {} end
      for _, field in ipairs { 'preProcessors', 'criterions' } do
         local list = self[field]
         if list[1] and #list ~= #self.ratios then
            check.argument_error(name, field, string.format('a list of %d', #self.ratios), list)
         end
      end
      self.downsamplers, self.padders, self.upsamplers, self.upsampledPadders = {}, {}, {}, {}
      table.sort(self.ratios, function(a, b) return a > b end)
      if self.verbose then _G.print(self) end
   end

   -- Sizes of each scale: of the image, `pyramid`, of what a processor sees, `narrowed`, and of its output.
   local function sizes_of(self, width, height)
      local ratios, count, sub = self.ratios, #self.ratios, self.sub
      local pyramid, processed, narrowed = {}, {}, {}
      for i = count, 1, -1 do
         pyramid[i] = { w = math.floor(width / ratios[i]), h = math.floor(height / ratios[i]) }
         processed[i], narrowed[i] = {}, {}
         for key, whole in pairs { w = width, h = height } do
            if i == count then
               processed[i][key] = math.floor(whole / ratios[i] / sub)
            else
               processed[i][key] = math.ceil(pyramid[i + 1][key] * ratios[i + 1] / ratios[i] / sub)
            end
            narrowed[i][key] = processed[i][key] * sub + self.fov - sub
         end
      end
      return pyramid, processed, narrowed
   end

   -- Creates the modules for images of a size, unless they exist.
   function Fovea:configure(fov, sub, width, height)
      if self.input_w == width and self.input_h == height and self.fov == fov then return end
      self.fov, self.sub, self.input_w, self.input_h = fov, sub, width, height
      self.bilinear = false
      for _, ratio in ipairs(self.ratios) do
         if ratio < 1 then check.argument_error(self, 'ratios', 'at least 1', ratio) end
         if ratio % 1 ~= 0 then self.bilinear = true end
      end
      local pyramid, processed, narrowed = sizes_of(self, width, height)
      for i, ratio in ipairs(self.ratios) do
         self.downsamplers[i] = fovea_scale.downsampler(nn, self, ratio, self.bilinear)
         local across, down = narrowed[i].w - pyramid[i].w, narrowed[i].h - pyramid[i].h
         local left, top = math.floor(across / 2), math.floor(down / 2)
         local function padder()
            return nn.SpatialPadding(left, across - left + 1, top, down - top + 1):type(self.output:type())
         end
         self.padders[i], self.upsampledPadders[i] = padder(), padder()
         if i < #self.ratios then
            self.upsamplers[i] = fovea_scale.upsampler(nn, self, ratio / self.ratios[i + 1] * sub, self.bilinear)
         end
      end
      self.pyramid_size, self.processed_size = pyramid, processed
      self.padded_size, self.narrowed_size = narrowed, narrowed
   end

   -- Has the losses count only around the pixel in column x and row y; without a pixel, everywhere.
   function Fovea:focus(x, y)
      self.x, self.y, self.focused = x, y, x ~= nil and y ~= nil
      if not self.focused then return end
      self.corners = {}
      local before = math.ceil(self.batchSize / 2) - 1
      for i, ratio in ipairs(self.ratios) do
         self.corners[i] = { x = fovea_scale.corner(self, x, ratio) - before,
            y = fovea_scale.corner(self, y, ratio) - before }
      end
   end

   -- The part of maps that the processor of a scale sees.
   local function window(self, maps, i)
      return maps:narrow(3, 1, self.narrowed_size[i].w):narrow(2, 1, self.narrowed_size[i].h)
   end

   -- What the processor of scale i sees: its image, and the enlarged output of the previous scale, or zeros.
   local function input_of(self, i)
      local own = window(self, self.padded[i], i)
      local planes = own:size(1)
      local both = own.new(planes + self.nRecursivePlane, own:size(2), own:size(3)):zero()
      both:narrow(1, 1, planes):copy(own)
      if i > 1 then
         local padder = self.upsampledPadders[i - 1]
         local large = padder:updateOutput(self.upsamplers[i - 1]:updateOutput(self.processed[i - 1]))
         local part = both:narrow(1, planes + 1, self.nRecursivePlane):copy(window(self, large, i))
         if self.scaleTargetValues then part:mul(self.ratios[i - 1] / self.ratios[i]) end
      end
      return both
   end

   -- The window of maps around the focus of scale i.
   local function around(self, maps, i)
      if not self.focused then return maps end
      local d, corner = maps:dim(), self.corners[i]
      return maps:narrow(d, corner.x, self.batchSize):narrow(d - 1, corner.y, self.batchSize)
   end

   -- The loss of scale i.
   local function loss_of(self, target, i)
      local output = self.postProcessed[i]
      local height, width = output:size(2), output:size(3)
      local scaled = require('image').scale(target, width, height, 'simple')
      if self.scaleTargetValues then scaled:div(self.ratios[i]) end
      if self.focused then
         local corner = self.corners[i]
         corner.x = math.min(math.max(corner.x, 1), output:size(3) - self.batchSize + 1)
         corner.y = math.min(math.max(corner.y, 1), output:size(2) - self.batchSize + 1)
      end
      self.predicted[i], self.targets[i] = around(self, output, i), around(self, scaled, i)
      return self.criterions[i]:updateOutput(self.predicted[i], self.targets[i])
   end

   -- updateOutput(input, target, x, y): the target is a map of classes, or maps; x and y focus the fovea.
   function Fovea:updateOutput(input, target, x, y)
      fovea_scale.check_image(self, input)
      if x and y then self:focus(x, y) end
      self:configure(self.fov, self.sub, input:size(3), input:size(2))
      fovea_scale.reduce(self, input)
      self.concatenated, self.processed = {}, {}
      for i, processor in ipairs(self.processors) do
         self.concatenated[i] = input_of(self, i)
         self.processed[i] = processor:updateOutput(self.concatenated[i])
      end
      self.postProcessed = apply_modules(self.postProcessors, 'updateOutput', self.processed)
      self.predicted, self.targets = {}, {}
      local loss = 0
      if self.criterions[1] and target then
         for i in ipairs(self.ratios) do loss = loss + loss_of(self, target, i) end
         loss = loss / #self.ratios
      end
      self.output = self.postProcessed[#self.ratios]
      return self.output, loss
   end

   -- The gradient of the losses; a gradient at the output is not taken. No gradient goes from a scale to the previous
   -- one.
   function Fovea:updateGradInput(input)
      if not self.criterions[1] or not (self.predicted and self.predicted[1]) then
         check.fail(self, 'backward needs criterions, and a target in updateOutput (got none)')
      end
      self.gradPostProcessed = {}
      for i, criterion in ipairs(self.criterions) do
         self.gradPostProcessed[i] = fovea_scale.zeros(self.postProcessed[i])
         around(self, self.gradPostProcessed[i], i):copy(criterion:updateGradInput(self.predicted[i], self.targets[i]))
      end
      self.gradProcessed = apply_modules(self.postProcessors, 'updateGradInput', self.processed, self.gradPostProcessed)
      self.gradConcatenated = apply_modules(self.processors, 'updateGradInput', self.concatenated, self.gradProcessed)
      self.gradPadded = {}
      for i, maps in ipairs(self.padded) do
         self.gradPadded[i] = fovea_scale.zeros(maps)
         window(self, self.gradPadded[i], i):copy(self.gradConcatenated[i]:narrow(1, 1, maps:size(1)))
      end
      return fovea_scale.reduce_backward(self, input)
   end

   function Fovea:__tostring__()
      local text = { 'nn.SpatialRecursiveFovea:\n  + number of recursion stages : ' .. #self.ratios,
         '  + downsampling ratios (scales) :   ' .. table.concat(self.ratios, '   '),
         string.format("  + processors' field of view : %sx%s", self.fov, self.fov),
         string.format("  + processors' downsampling ratio : %sx%s", self.sub, self.sub) }
      if self.criterions[1] then
         table.insert(text, '  + using training criterions : ' .. torch.typename(self.criterions[1]))
      end
      table.insert(text, '  + verbose : ' .. tostring(self.verbose))
      return table.concat(text, '\n')
   end
end

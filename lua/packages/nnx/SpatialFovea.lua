-- nn.SpatialFovea: an image at several scales, a network for each, and their outputs at one size, in one tensor.
-- Focused on a pixel, each network sees only its window there, and the outputs stay as they are.

local check, fovea_scale, xlua = require 'torch.base.check', require 'nnx.fovea_scale', require 'xlua'

local apply_modules = fovea_scale.apply_modules

return function(Fovea, parent, nn)

   fovea_scale.add_methods(Fovea)

   function Fovea:__init(...)
      parent.__init(self)
      xlua.unpack_class(self, { ... }, 'nn.SpatialFovea', 'an image at several scales, and a network for each',
         { arg = 'nInputPlane', type = 'number', help = 'maps of the image', req = true },
         { arg = 'ratios', type = 'table', help = 'by how much the image is reduced', req = true },
         { arg = 'processors', type = 'table', help = 'a network for each scale', req = true },
         { arg = 'preProcessors', type = 'table', help = 'modules for the reduced images' },
         { arg = 'fov', type = 'number', help = 'pixels that an output of a processor sees', default = 1 },
         { arg = 'sub', type = 'number', help = 'pixels between outputs', default = 1 },
         { arg = 'bilinear', type = 'number', help = 'whether sizes change by interpolation', default = false },
         { arg = 'cachePrePreproc', type = 'number', help = 'whether reduced images are kept', default = false })
      fovea_scale.check_ratios('SpatialFovea', self.ratios, self.processors)
      self.preProcessors = check.kind('SpatialFovea', 'preProcessors', self.preProcessors or {}, 'table')
      self.downsamplers, self.padders, self.upsamplers = {}, {}, {}
      self.padding, self.modules = self.fov - self.sub, self.processors
      self:reset()
   end

   -- Looks at the window of fov pixels at column x and row y of each scale; without a pixel at the whole image.
   function Fovea:focus(x, y, fov)
      self.x, self.y, self.fov = x, y, fov or self.fov
      self.focused = x and y and self.fov and true or false
   end

   function Fovea:configure()
      local side = math.floor(self.padding / 2)
      for i, ratio in ipairs(self.ratios) do
         self.downsamplers[i] = fovea_scale.downsampler(nn, self, ratio, self.bilinear)
         self.padders[i] = self.padding == 0 and nn.Identity() or nn.SpatialPadding(side, side, side, side)
         self.padders[i]:type(self.output:type())
         self.upsamplers[i] = fovea_scale.upsampler(nn, self, ratio, self.bilinear)
      end
   end

   -- The window of a scale that a processor sees.
   local function window(self, maps, i)
      if not self.focused then return maps end
      local ratio, fov = self.ratios[i], self.fov
      return maps:narrow(3, fovea_scale.corner(self, self.x, ratio), fov)
         :narrow(2, fovea_scale.corner(self, self.y, ratio), fov)
   end

   -- Sets `padded`, the images of all scales; those of inputs with a sum and a deviation that came before are kept.
   local function scale(self, input)
      local key = self.cachePrePreproc and tostring(input:sum()) .. tostring(input:std())
      self.cachedPreProcessed = self.cachedPreProcessed or key and {}
      local kept = key and self.cachedPreProcessed[key]
      self.padded = {}
      if kept then
         for i in ipairs(self.ratios) do self.padded[i] = kept[i] end
         return
      end
      fovea_scale.reduce(self, input)
      if key then
         kept = {}
         for i, maps in ipairs(self.padded) do kept[i] = maps:clone() end
         self.cachedPreProcessed[key] = kept
      end
   end

   function Fovea:updateOutput(input)
      fovea_scale.check_image(self, input)
      self:configure(input:size(3), input:size(2))
      scale(self, input)
      self.narrowed = {}
      for i, maps in ipairs(self.padded) do self.narrowed[i] = window(self, maps, i) end
      self.processed = apply_modules(self.processors, 'updateOutput', self.narrowed)
      self.upsampled = apply_modules(self.focused and {} or self.upsamplers, 'updateOutput', self.processed)
      self.output:cat(self.upsampled, 1)
      return self.output
   end

   function Fovea:updateGradInput(input, gradOutput)
      check.same_size(self, 'gradOutput', gradOutput, self.output)
      self.gradUpsampled = {}
      local first = 1
      for i, maps in ipairs(self.upsampled) do
         self.gradUpsampled[i] = gradOutput:narrow(1, first, maps:size(1))
         first = first + maps:size(1)
      end
      self.gradProcessed = apply_modules(self.focused and {} or self.upsamplers, 'updateGradInput', self.processed,
         self.gradUpsampled)
      self.gradNarrowed = apply_modules(self.processors, 'updateGradInput', self.narrowed, self.gradProcessed)
      -- Kept images are the end: the gradients are those of each scale.
      if self.cachePrePreproc then return self.gradNarrowed end
      self.gradPadded = {}
      for i, gradient in ipairs(self.gradNarrowed) do
         self.gradPadded[i] = gradient
         if self.focused then
            self.gradPadded[i] = fovea_scale.zeros(self.padded[i])
            window(self, self.gradPadded[i], i):copy(gradient)
         end
      end
      return fovea_scale.reduce_backward(self, input)
   end

   function Fovea:accGradParameters(_, _, scale_of)
      if not self.narrowed or not self.gradProcessed then
         check.fail(self, 'accGradParameters called before forward and updateGradInput')
      end
      for i, module in ipairs(self.processors) do
         module:accGradParameters(self.narrowed[i], self.gradProcessed[i], scale_of)
      end
   end

   function Fovea:__tostring__()
      local lines = { 'nn.SpatialFovea {', '  input' }
      for i, processor in ipairs(self.processors) do
         local pipeline = nn.Sequential()
         if self.preProcessors[i] then pipeline:add(self.preProcessors[i]) end
         local text = string.gsub(tostring(pipeline:add(processor)), '\n', '\n    |    ')
         table.insert(lines, string.format('    |`-> (%d): %s', i, text))
      end
      table.insert(lines, '     ... -> output')
      return table.concat(lines, '\n') .. '\n}'
   end
end

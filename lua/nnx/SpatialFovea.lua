-- nn.SpatialFovea: an image at several scales, a network for each, and their outputs at one size. Focused on a pixel,
-- each network sees only its window around it.

local fovea_scale = require 'nnx.fovea_scale'

return function(Fovea, parent, nn)

   fovea_scale.add_methods(Fovea, parent)

   function Fovea:__init(nInputPlane, ratios, processors, preProcessors, fov, sub, bilinear)
      fovea_scale.keep(self, 'SpatialFovea', nInputPlane, ratios, processors, preProcessors, fov, sub, bilinear)
      self.padders, self.upsamplers = {}, {}
      local scales = nn.ConcatTable()
      for i in ipairs(self.ratios) do
         self.padders[i], self.upsamplers[i] = nn.SpatialPadding(), fovea_scale.resampler(nn, self)
         scales:add(fovea_scale.image(nn, self, i):add(self.padders[i]):add(self.processors[i]):add(self.upsamplers[i]))
      end
      parent.__init(self, scales)
      self:focus()
   end

   -- Sets the windows, and the size of the outputs, for images of this size.
   function Fovea:configure(width, height)
      for i, ratio in ipairs(self.ratios) do
         local across, down = fovea_scale.frame(self, self.padders[i], math.floor(width / ratio),
            math.floor(height / ratio), ratio, self.focused)
         if not self.focused then across, down = math.floor(width / self.sub), math.floor(height / self.sub) end
         self.upsamplers[i].owidth, self.upsamplers[i].oheight = across, down
      end
   end

   function Fovea:updateGradInput(input, gradOutput)
      fovea_scale.check_gradients(self, gradOutput)
      return parent.updateGradInput(self, input, gradOutput)
   end
end

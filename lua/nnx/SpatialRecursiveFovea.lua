-- nn.SpatialRecursiveFovea: an image at several scales, from the smallest to the largest: each network sees its scale
-- beside the output of the network before it. The last output is that of the fovea.

local check = require 'torch.base.check'
local fovea_scale = require 'nnx.fovea_scale'

return function(Fovea, parent, nn)

   fovea_scale.add_methods(Fovea, parent)

   function Fovea:__init(nInputPlane, ratios, processors, preProcessors, fov, sub, bilinear)
      fovea_scale.keep(self, 'SpatialRecursiveFovea', nInputPlane, ratios, processors, preProcessors, fov, sub,
         bilinear)
      for i = 2, #self.ratios do
         if self.ratios[i] <= self.ratios[i - 1] then
            check.refuse('SpatialRecursiveFovea', 'ratios', 'ascending', self.ratios)
         end
      end
      self.padders, self.upsamplers = {}, {}
      local net
      for i = #self.ratios, 1, -1 do
         local own = fovea_scale.image(nn, self, i)
         if net then
            self.upsamplers[i] = fovea_scale.resampler(nn, self)
            own = nn.Sequential():add(nn.ConcatTable():add(own):add(net:add(self.upsamplers[i]))):add(nn.JoinTable(1))
         end
         self.padders[i] = nn.SpatialPadding()
         net = own:add(self.padders[i]):add(self.processors[i])
      end
      parent.__init(self, net)
      self:focus()
   end

   -- Sets the windows, and the sizes of what goes to the next scale, for images of this size. The focus is that of the
   -- last scale, which depends on all of the others.
   function Fovea:configure(width, height)
      for i, ratio in ipairs(self.ratios) do
         local across, down = math.floor(width / ratio), math.floor(height / ratio)
         fovea_scale.frame(self, self.padders[i], across, down, ratio, self.focused and i == 1)
         if self.upsamplers[i] then self.upsamplers[i].owidth, self.upsamplers[i].oheight = across, down end
      end
   end

   function Fovea:updateGradInput(input, gradOutput)
      check.same_size(self, 'gradOutput', gradOutput, self.output)
      return parent.updateGradInput(self, input, gradOutput)
   end

   -- Shrinks the parameters by this share.
   function Fovea:decayParameters(decay)
      check.number(self, 'decay', decay)
      for _, parameter in ipairs((self:parameters())) do parameter:mul(1 - decay) end
   end
end

-- nn.SpatialReSampling: maps of another size by bilinear interpolation, corner to corner: (ratio of widths, of heights,
-- width, height), or a table of rwidth, rheight, owidth, oheight.

local check = require 'torch.base.check'

return function(ReSampling, parent, nn)

   function ReSampling:__init(rwidth, rheight, owidth, oheight)
      parent.__init(self)
      if type(rwidth) == 'table' then
         rwidth, rheight, owidth, oheight = rwidth.rwidth, rwidth.rheight, rwidth.owidth, rwidth.oheight
      end
      if not (rwidth and rheight) and not (owidth and oheight) then
         check.fail('SpatialReSampling', 'both ratios or both sizes must be given (got neither)')
      end
      self.rwidth, self.rheight, self.owidth, self.oheight = rwidth, rheight, owidth, oheight
   end

   -- The module that does it for maps of a size, made anew when the size changes. A gradOutput tells its own size.
   local function module_for(self, input, gradOutput)
      check.dimensions(self, 'input', input, 3, 4)
      local d = input:dim()
      local height, width
      if gradOutput then
         check.dimensions(self, 'gradOutput', gradOutput, d, d)
         height, width = gradOutput:size(d - 1), gradOutput:size(d)
      else
         height = self.oheight or math.floor(input:size(d - 1) * self.rheight)
         width = self.owidth or math.floor(input:size(d) * self.rwidth)
      end
      local module = self._module
      if not module or module.oheight ~= height or module.owidth ~= width or module:type() ~= self:type() then
         module = nn.SpatialUpSamplingBilinear { oheight = height, owidth = width }:type(self:type())
         self._module = module
      end
      return module
   end

   function ReSampling:updateOutput(input)
      self.output = module_for(self, input):updateOutput(input)
      return self.output
   end

   function ReSampling:updateGradInput(input, gradOutput)
      self.gradInput = module_for(self, input, gradOutput):updateGradInput(input, gradOutput)
      return self.gradInput
   end
end

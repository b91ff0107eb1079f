-- nn.SpatialReSampling: maps of another size by bilinear interpolation, corner to corner: (ratio of widths, of heights,
-- width, height), or a table of rwidth, rheight, owidth, oheight.

local check, xlua = require 'torch.base.check', require 'xlua'

return function(ReSampling, parent, nn)

   function ReSampling:__init(...)
      parent.__init(self)
      xlua.unpack_class(self, { ... }, 'nn.SpatialReSampling', 'maps of another size by interpolation',
         { arg = 'rwidth', type = 'number', help = 'width of the output by that of the input' },
         { arg = 'rheight', type = 'number', help = 'the same of heights' },
         { arg = 'owidth', type = 'number', help = 'width of the output' },
         { arg = 'oheight', type = 'number', help = 'its height' })
      if not (self.rwidth or self.owidth) or not (self.rheight or self.oheight) then
         check.fail('SpatialReSampling', 'both ratios or both sizes must be given (got neither)')
      end
   end

   -- The module that does it for maps of a size, recreated when the size changes. A gradOutput tells its own size.
   local function module_for(self, input, gradOutput)
      check.dimensions(self, 'input', input, 3, 4)
      local d = input:dim()
      local height, width
      if gradOutput then
         check.dimensions(self, 'gradOutput', gradOutput, d, d)
         height, width = gradOutput:size(d - 1), gradOutput:size(d)
      else
         -- The size of the first output stays.
         self.oheight = self.oheight or self.rheight * input:size(d - 1)
         self.owidth = self.owidth or self.rwidth * input:size(d)
         height, width = math.floor(self.oheight), math.floor(self.owidth)
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

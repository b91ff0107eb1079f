-- nn.SpatialColorTransform(name): a conversion between colour spaces, as a module of maps 3 x height x width. Those
-- that are linear, rgb2y, rgb2yuv and yuv2rgb, are an nn.SpatialLinear and have gradients; the others are image's.

local torch = require 'torch'
local check = require 'torch.base.check'

local NAMES = { 'rgb2y', 'rgb2yuv', 'yuv2rgb', 'rgb2hsl', 'hsl2rgb', 'rgb2hsv', 'hsv2rgb', 'rgb2nrgb', 'rgb2y+nrgb',
   'rgb2lab', 'lab2rgb' }
local MATRICES = {
   rgb2y = { { 0.299, 0.587, 0.114 } },
   rgb2yuv = { { 0.299, 0.587, 0.114 }, { -0.14713, -0.28886, 0.436 }, { 0.615, -0.51499, -0.10001 } },
   yuv2rgb = { { 1, 0, 1.13983 }, { 1, -0.39465, -0.58060 }, { 1, 2.03211, 0 } },
}

return function(Transform, parent, nn)

   function Transform:__init(name)
      parent.__init(self)
      self.transform = check.one_of('SpatialColorTransform', 'transform', name, NAMES)
      local matrix = MATRICES[name]
      self.islinear = matrix ~= nil
      if matrix then
         self.linear = nn.SpatialLinear(3, #matrix)
         self.linear.weight:copy(torch.Tensor(matrix))
         self.linear.bias:zero()
      end
   end

   function Transform:updateOutput(input)
      if self.islinear then
         self.output = self.linear:updateOutput(input)
         return self.output
      end
      check.dimensions(self, 'input', input, 3, 3)
      if input:size(1) ~= 3 then check.fail(self, 'input must have 3 maps (got %s)', check.describe(input)) end
      local image = require 'image'
      if self.transform == 'rgb2y+nrgb' then
         self.output = torch.cat(image.rgb2y(input), image.rgb2nrgb(input), 1)
      else
         self.output = image[self.transform](input)
      end
      return self.output
   end

   function Transform:updateGradInput(input, gradOutput)
      if not self.islinear then
         check.fail(self, 'gradients exist only for rgb2y, rgb2yuv and yuv2rgb (got %s)', self.transform)
      end
      self.gradInput = self.linear:updateGradInput(input, gradOutput)
      return self.gradInput
   end
end

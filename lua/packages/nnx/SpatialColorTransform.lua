-- nn.SpatialColorTransform(name): one of image's conversions between colour spaces, as a module of maps 3 x height x
-- width. Those that are linear have gradients: rgb2y, rgb2yuv and yuv2rgb.

local torch = require 'torch'
local check = require 'torch.base.check'

local names = {
   'rgb2y', 'rgb2yuv', 'yuv2rgb', 'rgb2hsl', 'hsl2rgb', 'rgb2hsv', 'hsv2rgb', 'rgb2nrgb', 'rgb2lab', 'lab2rgb',
}
local LINEAR = { rgb2y = true, rgb2yuv = true, yuv2rgb = true }

return function(Transform, parent)

   function Transform:__init(name)
      parent.__init(self)
      self.transform = check.one_of('SpatialColorTransform', 'transform', name, names)
   end

   local function checked(self, input)
      check.dimensions(self, 'input', input, 3, 3)
      if input:size(1) ~= 3 then check.fail(self, 'input must have 3 maps (got %s)', check.describe(input)) end
      return input
   end

   function Transform:updateOutput(input)
      self.output = require('image')[self.transform](checked(self, input))
      return self.output
   end

   -- The columns are the conversions of each plane alone.
   local function matrix_of(self)
      local planes = torch.eye(3):type(self:type()):view(3, 1, 3)
      local made = require('image')[self.transform](planes:contiguous())
      return made:view(made:size(1), 3)
   end

   function Transform:updateGradInput(input, gradOutput)
      if not LINEAR[self.transform] then
         check.fail(self, 'gradients exist only for rgb2y, rgb2yuv and yuv2rgb (got %s)', self.transform)
      end
      checked(self, input)
      local matrix = matrix_of(self)
      check.dimensions(self, 'gradOutput', gradOutput, 3, 3)
      local height, width = input:size(2), input:size(3)
      if gradOutput:size(1) ~= matrix:size(1) or gradOutput:size(2) ~= height or gradOutput:size(3) ~= width then
         check.fail(self, 'gradOutput must have %d maps of the size of the input (got %s)', matrix:size(1),
            check.describe(gradOutput))
      end
      self.gradInput:resize(3, height * width):mm(matrix:t(), gradOutput:contiguous():view(-1, height * width))
      self.gradInput:resize(3, height, width)
      return self.gradInput
   end
end

-- nn.SpatialRadialMatching: distances of the features of pixels in two images in polar coordinates, the radius down: of
-- each pixel of the first to those at and below its position in the second. A mask tells pixels that count.

local torch = require 'torch'
local check = require 'torch.base.check'
local window_distances = require 'nnx.window_distances'

return function(Matching, parent)

   function Matching:__init(maxh)
      parent.__init(self)
      self.maxh = math.floor(maxh or 11)
      self.gradInput = {}
   end

   -- The images, and a ByteTensor of the pixels that do not count, if some do not.
   local function parts(self, input)
      local first, second = window_distances.images(self, input)
      check.same_size(self, 'input[2]', second, first)
      local mask = input[3]
      if mask == nil then return first, second, nil end
      local height, width = first:size(2), first:size(3)
      check.tensor(self, 'input[3]', mask)
      if mask:nElement() ~= height * width or mask:size(mask:dim()) ~= width then
         check.argument_error(self, 'input[3]', string.format('a mask of %d x %d', height, width), mask)
      end
      return first, second, mask:contiguous():view(height, width, 1):eq(0)
   end

   function Matching:updateOutput(input)
      local first, second, without = parts(self, input)
      self.output:resize(first:size(2), first:size(3), self.maxh):fill(window_distances.NONE)
      for i = 1, self.maxh do window_distances.forward(first, second, i - 1, 0, self.output:select(3, i)) end
      if without then self.output:maskedFill(without:expandAs(self.output), window_distances.NONE) end
      return self.output
   end

   function Matching:updateGradInput(input, gradOutput)
      local first, second, without = parts(self, input)
      check.same_type(self, 'gradOutput', check.same_size(self, 'gradOutput', gradOutput, self.output), first)
      local function zeros(t) return torch.zeros(t:size()):typeAs(t) end
      self.gradInput = { zeros(first), zeros(second), without and zeros(input[3]) }
      if without then gradOutput = gradOutput:clone():maskedFill(without:expandAs(gradOutput), 0) end
      for i = 1, self.maxh do
         window_distances.backward(first, second, i - 1, 0, gradOutput:select(3, i), self.gradInput[1],
            self.gradInput[2])
      end
      return self.gradInput
   end
end

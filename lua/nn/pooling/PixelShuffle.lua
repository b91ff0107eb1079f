-- nn.PixelShuffle: planes r * r at a time become one plane r times as high and wide.

local torch = require 'torch'
local check = require 'nn.check'

return function(Shuffle, parent)

   function Shuffle:__init(upscaleFactor)
      parent.__init(self)
      self.upscaleFactor = upscaleFactor
      self.upscaleFactorSquared = upscaleFactor * upscaleFactor
   end

   -- Images, planes of the output, height and width of the input.
   local function extent(self, x)
      check.tensor(self, x)
      local n, r = x:dim(), self.upscaleFactor
      if n ~= 3 and n ~= 4 or x:size(n - 2) % (r * r) ~= 0 then
         check.fail(self, 'input of a multiple of %d planes, or a batch, expected (got %s)', r * r, check.describe(x))
      end
      return n == 4 and x:size(1) or 1, x:size(n - 2) / (r * r), x:size(n - 1), x:size(n), n
   end

   function Shuffle:updateOutput(input)
      local images, planes, h, w, n = extent(self, input)
      local r, y = self.upscaleFactor, self.output
      if n == 4 then y:resize(images, planes, h * r, w * r) else y:resize(planes, h * r, w * r) end
      -- images, planes, down, across, h, w to images, planes, h, down, w, across.
      local parts = input:contiguous():view(images, planes, r, r, h, w):permute(1, 2, 5, 3, 6, 4)
      y:view(images, planes, h, r, w, r):copy(parts)
      return y
   end

   function Shuffle:updateGradInput(input, gradOutput)
      local images, planes, h, w = extent(self, input)
      local r = self.upscaleFactor
      if not torch.isTensor(gradOutput) or gradOutput:nElement() ~= input:nElement() then
         check.fail(self, 'gradOutput of the size of the output expected (got %s)', check.describe(gradOutput))
      end
      local parts = gradOutput:contiguous():view(images, planes, h, r, w, r):permute(1, 2, 4, 6, 3, 5)
      self.gradInput:resizeAs(input):view(images, planes, r, r, h, w):copy(parts)
      return self.gradInput
   end

end

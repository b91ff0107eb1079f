-- nn.PixelShuffle: planes become pixels: c r r x h x w to c x h r x w r.

local expect = require 'nn.checks.expect'

return function(PixelShuffle)

   function PixelShuffle:__init() self.upscaleFactorSquared = self.upscaleFactor * self.upscaleFactor end

   -- The sizes: samples, planes of the output, height and width of the input.
   local function extent(self, input)
      expect.own(self, input)
      local dims = input:dim()
      if dims ~= 3 and dims ~= 4 or input:size(dims - 2) % self.upscaleFactorSquared ~= 0 then
         expect.fail(self, 'input must have 3 or 4 dimensions with a multiple of %d planes (got %s)',
            self.upscaleFactorSquared, expect.describe(input))
      end
      return dims == 4 and input:size(1) or 1, input:size(dims - 2) / self.upscaleFactorSquared, input:size(dims - 1),
         input:size(dims)
   end

   function PixelShuffle:updateOutput(input)
      local n, c, h, w = extent(self, input)
      local r = self.upscaleFactor
      local shuffled = input:contiguous():view(n, c, r, r, h * w):view(n * c, r, r, h, w):permute(1, 4, 2, 5, 3)
      self.output:resize(n * c, h, r, w, r):copy(shuffled)
      if input:dim() == 3 then self.output:resize(c, h * r, w * r) else self.output:resize(n, c, h * r, w * r) end
      return self.output
   end

   function PixelShuffle:updateGradInput(input, gradOutput)
      local n, c, h, w = extent(self, input)
      local r = self.upscaleFactor
      expect.same_count(self, input, expect.own(self, gradOutput, 'gradOutput'))
      local back = gradOutput:contiguous():view(n * c, h, r, w, r):permute(1, 3, 5, 2, 4)
      self.gradInput:resize(n * c, r, r, h, w):copy(back)
      self.gradInput:resizeAs(input)
      return self.gradInput
   end
end

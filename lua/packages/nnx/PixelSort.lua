-- nn.PixelSort(r): the reverse of nn.PixelShuffle: blocks of r x r pixels become r * r planes.

local torch = require 'torch'
local check = require 'torch.base.check'

return function(PixelSort, parent)

   function PixelSort:__init(r)
      parent.__init(self)
      self.downscaleFactor, self.downscaleFactorSquared = r, r * r
   end

   -- Batch, planes, and the rows and columns of blocks of an input.
   local function sizes_of(self, input)
      check.dimensions(self, 'input', input, 3, 4)
      local d, r = input:dim(), self.downscaleFactor
      local height, width = input:size(d - 1), input:size(d)
      if height % r ~= 0 or width % r ~= 0 then
         check.argument_error(self, 'input', string.format('maps whose sizes are multiples of %d', r), input)
      end
      return d == 4 and input:size(1) or 1, input:size(d - 2), height / r, width / r
   end

   function PixelSort:updateOutput(input)
      check.real(self, 'input', input)
      local batch, planes, rows, columns = sizes_of(self, input)
      local r = self.downscaleFactor
      local blocks = input:contiguous():view(batch, planes, rows, r, columns, r):permute(1, 2, 4, 6, 3, 5)
      self.output = blocks:contiguous():view(batch, planes * r * r, rows, columns)
      if input:dim() == 3 then self.output = self.output[1] end
      return self.output
   end

   -- The planes of a block count down its columns here, as in the original: that is not the order of the output.
   function PixelSort:updateGradInput(input, gradOutput)
      check.same_size(self, 'gradOutput', gradOutput, self.output)
      local batch, planes, rows, columns = sizes_of(self, input)
      local r = self.downscaleFactor
      local blocks = gradOutput:contiguous():view(batch, planes, r, r, rows, columns):permute(1, 2, 5, 3, 6, 4)
      self.gradInput = torch.view(blocks:contiguous(), input:size())
      return self.gradInput
   end
end

-- nn.AffineGridGeneratorBHWD(height, width): grids of batch x height x width x 2 from matrices of batch x 2 x 3, which
-- are applied to (y, x, 1) for each pixel.

local torch = require 'torch'
local check = require 'torch.base.check'

return function(nn)
   local Generator, parent = torch.class('nn.AffineGridGeneratorBHWD', 'nn.Module', nn)

   function Generator:__init(height, width)
      parent.__init(self)
      self.height = check.integer('AffineGridGeneratorBHWD', 'height', height, 2)
      self.width = check.integer('AffineGridGeneratorBHWD', 'width', width, 2)
      self.baseGrid = torch.Tensor(height, width, 3):fill(1)
      self.baseGrid:select(3, 1):copy(torch.linspace(-1, 1, height):view(height, 1):expand(height, width))
      self.baseGrid:select(3, 2):copy(torch.linspace(-1, 1, width):view(1, width):expand(height, width))
      self.batchGrid = self.baseGrid:view(1, height, width, 3):clone()   -- Torch7's methods read it.
   end

   local function matrices(self, input)
      check.dimensions(self, 'input', input, 2, 3)
      local dims = input:dim()
      if input:size(dims - 1) ~= 2 or input:size(dims) ~= 3 then
         check.argument_error(self, 'input', 'a tensor of 2x3, or of batch x 2 x 3', input)
      end
      return input:contiguous():view(-1, 2, 3)
   end

   function Generator:updateOutput(input)
      local m = matrices(self, input)
      local count, pixels = m:size(1), self.height * self.width
      local points = self.baseGrid:view(1, pixels, 3):expand(count, pixels, 3)
      self.output = torch.bmm(points, m:transpose(2, 3)):view(count, self.height, self.width, 2)
      if input:dim() == 2 then self.output = self.output[1] end
      return self.output
   end

   function Generator:updateGradInput(input, gradOutput)
      check.same_size(self, 'gradOutput', gradOutput, self.output)
      local count, pixels = matrices(self, input):size(1), self.height * self.width
      local points = self.baseGrid:view(1, pixels, 3):expand(count, pixels, 3)
      local g = gradOutput:contiguous():view(count, pixels, 2)
      self.gradInput = torch.bmm(g:transpose(2, 3), points):viewAs(input)
      return self.gradInput
   end
end

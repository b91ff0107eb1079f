-- nn.SpatialUpSampling(dW, dH): each element of maps as a block. With yDim and xDim, the dimensions that are enlarged;
-- by default the last two.

local check = require 'torch.base.check'

return function(UpSampling, parent)

   function UpSampling:__init(dW, dH, yDim, xDim)
      parent.__init(self)
      self.dW, self.dH = check.size('SpatialUpSampling', 'dW', dW), check.size('SpatialUpSampling', 'dH', dH)
      self.yDim, self.xDim = yDim, xDim
   end

   -- Views of `t`, which is contiguous and large, one for each position in the blocks.
   local function each(self, t, f)
      local rows, columns = self.yDim or t:dim() - 1, self.xDim or t:dim()
      for i = 1, self.dH do
         for j = 1, self.dW do
            f(t:unfold(rows, self.dH, self.dH):select(t:dim() + 1, i):unfold(columns, self.dW, self.dW)
               :select(t:dim() + 1, j))
         end
      end
   end

   function UpSampling:updateOutput(input)
      check.real(self, 'input', input)
      check.dimensions(self, 'input', input, 2, 5)
      local sizes = input:size()
      local rows, columns = self.yDim or input:dim() - 1, self.xDim or input:dim()
      sizes[rows], sizes[columns] = sizes[rows] * self.dH, sizes[columns] * self.dW
      self.output:resize(sizes)
      each(self, self.output, function(part) part:copy(input) end)
      return self.output
   end

   function UpSampling:updateGradInput(input, gradOutput)
      check.same_size(self, 'gradOutput', gradOutput, self.output)
      self.gradInput:resizeAs(input):zero()
      each(self, gradOutput, function(part) self.gradInput:add(part) end)
      return self.gradInput
   end
end

-- nn.SpatialUpSampling(dW, dH): each element of maps as a block. yDim and xDim are the dimensions that are enlarged.

local torch = require 'torch'
local check, xlua = require 'torch.base.check', require 'xlua'

return function(UpSampling, parent)

   function UpSampling:__init(...)
      parent.__init(self)
      xlua.unpack_class(self, { ... }, 'nn.SpatialUpSampling', 'each element of maps as a block',
         { arg = 'dW', type = 'number', help = 'columns of a block', req = true },
         { arg = 'dH', type = 'number', help = 'rows of a block', req = true },
         { arg = 'yDim', type = 'number', help = 'dimension of the rows', default = 2 },
         { arg = 'xDim', type = 'number', help = 'dimension of the columns', default = 3 })
      check.size('SpatialUpSampling', 'dW', self.dW)
      check.size('SpatialUpSampling', 'dH', self.dH)
      if self.yDim + 1 ~= self.xDim then
         check.fail('SpatialUpSampling', 'xDim must be the dimension after yDim (got %d and %d)', self.xDim, self.yDim)
      end
      self.inputSize, self.outputSize = torch.LongStorage(4), torch.LongStorage(4)   -- Torch7's methods read them.
   end

   -- Views of `t`, which is contiguous and large, one for each position in the blocks.
   local function each(self, t, f)
      for i = 1, self.dH do
         for j = 1, self.dW do
            f(t:unfold(self.yDim, self.dH, self.dH):select(t:dim() + 1, i):unfold(self.xDim, self.dW, self.dW)
               :select(t:dim() + 1, j))
         end
      end
   end

   function UpSampling:updateOutput(input)
      check.real(self, 'input', input)
      check.dimensions(self, 'input', input, self.xDim, 5)
      local sizes = input:size()
      sizes[self.yDim], sizes[self.xDim] = sizes[self.yDim] * self.dH, sizes[self.xDim] * self.dW
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

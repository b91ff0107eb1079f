-- nn.SparseCriterion: the mean of the sizes of elements. nn.SpatialSparseCriterion: that of maps, with gradients for
-- all pixels or some.

local torch = require 'torch'
local check, xlua = require 'torch.base.check', require 'xlua'

return function(Sparse, parent, _, name)

   -- 1 or -1 for each element, by their number.
   local function gradient_of(self, input)
      local share = self.sizeAverage and 1 / input:nElement() or 1
      return input:ge(0):typeAs(input):mul(2):add(-1):mul(share)
   end

   if name == 'SparseCriterion' then

      function Sparse:__init()
         parent.__init(self)
         self.sizeAverage = true
      end

      function Sparse:updateOutput(input)
         check.real(self, 'input', input)
         self.output = input:norm(1) / (self.sizeAverage and input:nElement() or 1)
         return self.output
      end

      function Sparse:updateGradInput(input)
         self.gradInput = gradient_of(self, input)
         return self.gradInput
      end
      return
   end

   function Sparse:__init(...)
      parent.__init(self)
      xlua.unpack_class(self, { ... }, 'nn.SpatialSparseCriterion', 'the mean of the sizes of elements of maps',
         { arg = 'nbGradients', type = 'number', help = 'pixels that have gradients, -1 for all', default = -1 },
         { arg = 'sizeAverage', type = 'number', help = 'whether the mean is taken, not the sum', default = true })
   end

   function Sparse:updateOutput(input)
      check.real(self, 'input', input)
      check.dimensions(self, 'input', input, 3, 3)
      self.fullOutput = torch.abs(input):sum(1):select(1, 1)
      if self.sizeAverage then self.fullOutput:div(input:size(1)) end
      self.output = self.sizeAverage and self.fullOutput:mean() or self.fullOutput:sum()
      return self.output
   end

   -- One gradient is that of the pixel in the middle, several those of pixels that math.random draws.
   function Sparse:updateGradInput(input)
      check.dimensions(self, 'input', input, 3, 3)
      self.fullGradInput = gradient_of(self, input)
      if self.nbGradients == -1 then
         self.gradInput = self.fullGradInput
         return self.gradInput
      end
      self.gradInput:resizeAs(input):zero()
      local height, width = input:size(2), input:size(3)
      local function take(y, x) self.gradInput[{ {}, y, x }]:copy(self.fullGradInput[{ {}, y, x }]) end
      if self.nbGradients == 1 then
         take(math.ceil(height / 2), math.ceil(width / 2))
      else
         for _ = 1, self.nbGradients do
            local x = math.random(1, width)
            take(math.random(1, height), x)
         end
      end
      return self.gradInput
   end
end

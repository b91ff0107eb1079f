-- nn.SpatialMatching: distances of the features of pixels in two images: of each pixel of the first to those of a
-- window in the second.

local torch = require 'torch'
local check = require 'torch.base.check'
local window_distances = require 'nnx.window_distances'

return function(Matching, parent)

   -- Without full_output the windows begin at the pixel, and the second image is large enough for all of them.
   function Matching:__init(maxh, maxw, full_output)
      parent.__init(self)
      self.maxh, self.maxw, self.full_output = maxh or 11, maxw or 11, full_output or false
      self.gradInput1, self.gradInput2 = torch.Tensor(), torch.Tensor()
   end

   -- f(down, right, i, j) for each step of the window, the element (i, j) of its distances.
   local function each_step(self, f)
      local up, left = 0, 0
      if self.full_output then up, left = math.ceil(self.maxh / 2) - 1, math.ceil(self.maxw / 2) - 1 end
      for i = 1, self.maxh do
         for j = 1, self.maxw do f(i - 1 - up, j - 1 - left, i, j) end
      end
   end

   -- The size of the part of the second image that counts, checked.
   local function part_of(self, first, second)
      local rows, columns = first:size(2), first:size(3)
      if not self.full_output then rows, columns = rows + self.maxh - 1, columns + self.maxw - 1 end
      if second:size(2) < rows or second:size(3) < columns then
         check.argument_error(self, 'input[2]', string.format('maps of at least %d x %d', rows, columns), second)
      end
      return function(t) return t:narrow(2, 1, rows):narrow(3, 1, columns) end
   end

   function Matching:updateOutput(input)
      local first, second = window_distances.images(self, input)
      second = part_of(self, first, second)(second)
      self.output:resize(first:size(2), first:size(3), self.maxh, self.maxw):fill(window_distances.NONE)
      each_step(self, function(down, right, i, j)
         window_distances.forward(first, second, down, right, self.output:select(4, j):select(3, i))
      end)
      return self.output
   end

   function Matching:updateGradInput(input, gradOutput)
      local first, second = window_distances.images(self, input)
      check.same_type(self, 'gradOutput', check.same_size(self, 'gradOutput', gradOutput, self.output), first)
      local part = part_of(self, first, second)
      self.gradInput1:resizeAs(first):zero()
      self.gradInput2:resizeAs(second):zero()
      each_step(self, function(down, right, i, j)
         window_distances.backward(first, part(second), down, right, gradOutput:select(4, j):select(3, i),
            self.gradInput1, part(self.gradInput2))
      end)
      self.gradInput = { self.gradInput1, self.gradInput2 }
      return self.gradInput
   end
end

-- nn.SpatialMatching: distances of the features of pixels in two images: of each pixel of the first to those of a
-- window in the second.

local torch = require 'torch'
local check = require 'torch.base.check'
local window_distances = require 'nnx.window_distances'

return function(Matching, parent)

   function Matching:__init(maxw, maxh, full_output)
      parent.__init(self)
      self.maxw, self.maxh = math.floor(maxw or 11), math.floor(maxh or 11)
      self.full_output = full_output == nil or full_output
      self.gradInput = {}
   end

   -- f(down, right, i, j) for each step of the window, the element (i, j) of its distances.
   local function each_step(self, f)
      local up, left = 0, 0
      if self.full_output then up, left = math.ceil(self.maxh / 2) - 1, math.ceil(self.maxw / 2) - 1 end
      for i = 1, self.maxh do
         for j = 1, self.maxw do f(i - 1 - up, j - 1 - left, i, j) end
      end
   end

   function Matching:updateOutput(input)
      local first, second = window_distances.images(self, input)
      local rows, columns = first:size(2), first:size(3)
      if not self.full_output then
         rows = math.min(rows, second:size(2) - self.maxh + 1)
         columns = math.min(columns, second:size(3) - self.maxw + 1)
         if rows < 1 or columns < 1 then
            check.refuse(self, 'input[2]', ('maps of at least %d x %d'):format(self.maxh, self.maxw), second)
         end
         first = first:narrow(2, 1, rows):narrow(3, 1, columns)
      elseif not first:isSameSizeAs(second) then
         check.same_size(self, 'input[2]', second, first)
      end
      self.output:resize(rows, columns, self.maxh, self.maxw):fill(window_distances.NONE)
      each_step(self, function(down, right, i, j)
         window_distances.forward(first, second, down, right, self.output:select(4, j):select(3, i))
      end)
      return self.output
   end

   function Matching:updateGradInput(input, gradOutput)
      local first, second = window_distances.images(self, input)
      check.same_type(self, 'gradOutput', check.same_size(self, 'gradOutput', gradOutput, self.output), first)
      local rows, columns = gradOutput:size(1), gradOutput:size(2)
      self.gradInput = { torch.zeros(first:size()):typeAs(first), torch.zeros(second:size()):typeAs(first) }
      local function part(t) return t:narrow(2, 1, rows):narrow(3, 1, columns) end
      each_step(self, function(down, right, i, j)
         window_distances.backward(part(first), second, down, right, gradOutput:select(4, j):select(3, i),
            part(self.gradInput[1]), self.gradInput[2])
      end)
      return self.gradInput
   end
end

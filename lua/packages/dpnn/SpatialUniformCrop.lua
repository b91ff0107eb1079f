-- nn.SpatialUniformCrop: a part of the maps of each sample, at a random position while training, else in the centre.
-- With `scale`, the smallest and the largest scale, parts of random sizes are scaled to the same size.

local torch = require 'torch'
local check = require 'torch.base.check'

return function(Crop, parent, nn)

   function Crop:__init(oheight, owidth, scale)
      parent.__init(self)
      self.oheight, self.owidth = oheight, owidth or oheight
      if scale == nil then return end
      check.kind('SpatialUniformCrop', 'scale', scale, 'table')
      check.number('SpatialUniformCrop', 'the least scale', scale.min or scale[1])
      check.number('SpatialUniformCrop', 'the largest scale', scale.max or scale[2])
      require 'nnx'
      self.scale = scale
      self.scaler = nn.SpatialReSampling { owidth = self.owidth, oheight = self.oheight }
   end

   local function batch_of(self, what, input)
      check.real(self, what, input)
      check.dimensions(self, what, input, 3, 4)
      return self:toBatch(input:contiguous(), 3)
   end

   -- First row and column, rows and columns of a part of scale s, whose offsets are h and w. As in the original, the
   -- centre's column follows from the height.
   local function scaled(self, x, s, h, w)
      local height, width = x:size(3), x:size(4)
      local rows, columns = math.ceil(s * self.oheight), math.ceil(s * self.owidth)
      local y = math.ceil(height / 2 - (height - rows) / 2 + h) - math.ceil(rows / 2)
      local z = math.ceil(width / 2 - (height - columns) / 2 + w) - math.ceil(columns / 2)
      return math.max(y, 1), math.max(z, 1), rows, columns
   end

   -- An integer up to a bound, by one draw of a uniform distribution.
   local function draw(maximum) return math.ceil(torch.uniform(1e-2, maximum)) end

   local function place(self, x, i)
      local height, width = x:size(3), x:size(4)
      if self.train == false then
         return math.ceil((height - self.oheight) / 2), math.ceil((width - self.owidth) / 2)
      end
      local rows, columns = self.oheight, self.owidth
      if self.scale then
         local s = torch.uniform(self.scale.min or self.scale[1], self.scale.max or self.scale[2])
         self.scales[i] = s
         rows, columns = math.ceil(s * self.oheight), math.ceil(s * self.owidth)
         return draw(height - rows), draw(width - columns), s
      end
      return draw(height - rows), draw(width - columns)
   end

   -- The part of a sample of maps.
   local function part(self, x, i, h, w, s)
      local y, z, rows, columns = h, w, self.oheight, self.owidth
      if s then y, z, rows, columns = scaled(self, x, s, h, w) end
      if y < 1 or z < 1 or y + rows - 1 > x:size(3) or z + columns - 1 > x:size(4) then
         check.fail(self, 'a part of %d x %d from (%d, %d) is not within maps (got %s)', rows, columns, y, z,
            check.describe(x))
      end
      return x[i]:narrow(2, y, rows):narrow(3, z, columns)
   end

   function Crop:updateOutput(input)
      local x = batch_of(self, 'input', input)
      local output = input.new(x:size(1), x:size(2), self.oheight, self.owidth)
      self.coord = torch.IntTensor(x:size(1), 2)
      if self.scale and self.train ~= false then self.scales = torch.FloatTensor(x:size(1)) else self.scales = nil end
      for i = 1, x:size(1) do
         local h, w, s = place(self, x, i)
         local cropped = part(self, x, i, h, w, s)
         output[i]:copy(s and self.scaler:forward(cropped:contiguous()) or cropped)
         self.coord[i][1], self.coord[i][2] = h, w
      end
      self.output = self:fromBatch(output, 1)
      return self.output
   end

   function Crop:updateGradInput(input, gradOutput)
      if not self.coord then check.fail(self, 'backward called before forward') end
      local x, from = batch_of(self, 'input', input), batch_of(self, 'gradOutput', gradOutput)
      check.same_size(self, 'gradOutput', gradOutput, self.output)
      local gradient = x.new(x:size()):zero()
      for i = 1, x:size(1) do
         local h, w, s = self.coord[i][1], self.coord[i][2], self.scales and self.scales[i]
         local to = part(self, gradient, i, h, w, s)
         to:copy(s and self.scaler:updateGradInput(part(self, x, i, h, w, s):contiguous(), from[i]) or from[i])
      end
      self.gradInput = self:fromBatch(gradient, 1)
      return self.gradInput
   end
end

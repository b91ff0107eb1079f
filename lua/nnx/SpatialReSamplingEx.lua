-- nn.SpatialReSamplingEx: maps of another size, by the nearest element before ('simple'), by means of the elements that
-- an output covers ('average'), or corner to corner ('bilinear'). The rows may be any dimension, the columns the next.

local torch = require 'torch'
local check = require 'torch.base.check'

local MODES = { 'simple', 'average', 'bilinear' }

return function(ReSampling, parent, nn)

   function ReSampling:__init(rwidth, rheight, owidth, oheight, mode, yDim, xDim)
      parent.__init(self)
      if type(rwidth) == 'table' then
         local o = rwidth
         rwidth, rheight, owidth, oheight, mode, yDim, xDim = o.rwidth, o.rheight, o.owidth, o.oheight, o.mode, o.yDim,
            o.xDim
      end
      local name = 'SpatialReSamplingEx'
      if not (rwidth or owidth) or not (rheight or oheight) then
         check.fail(name, 'rwidth or owidth, and rheight or oheight, must be given (got neither)')
      end
      self.rwidth, self.rheight = rwidth and check.number(name, 'rwidth', rwidth),
         rheight and check.number(name, 'rheight', rheight)
      self.owidth, self.oheight = owidth and check.size(name, 'owidth', owidth),
         oheight and check.size(name, 'oheight', oheight)
      self.mode = check.one_of(name, 'mode', mode or 'simple', MODES)
      self.yDim, self.xDim = check.integer(name, 'yDim', yDim or -2), check.integer(name, 'xDim', xDim or -1)
      if self.yDim + 1 ~= self.xDim or self.yDim == 0 or self.xDim == 0 then
         check.fail(name, 'xDim must be the dimension after yDim (got %d and %d)', self.xDim, self.yDim)
      end
   end

   -- The dimension of the rows.
   local function rows_of(self, input)
      check.real(self, 'input', input)
      local y = self.yDim < 0 and input:dim() + 1 + self.yDim or self.yDim
      if y < 1 or y + 1 > input:dim() then
         check.refuse(self, 'input', ('a tensor with dimensions %d and %d'):format(self.yDim, self.xDim), input)
      end
      return y
   end

   -- How many elements the dimensions before the rows have, and those after the columns.
   local function around(t, y)
      local before, behind = 1, 1
      for d = 1, y - 1 do before = before * t:size(d) end
      for d = y + 2, t:dim() do behind = behind * t:size(d) end
      return before, behind
   end

   -- A contiguous tensor, planes x rows x columns: its planes are the dimensions before the rows and after the columns.
   local function planes_of(t, y)
      local before, behind = around(t, y)
      local height, width = t:size(y), t:size(y + 1)
      local planes = t:contiguous():view(before, height, width, behind):transpose(3, 4):transpose(2, 3)
      return planes:contiguous():view(before * behind, height, width)
   end

   -- Back to a tensor whose other sizes are those of `like`.
   local function tensor_of(planes, y, like)
      local sizes, before, behind = like:size(), around(like, y)
      sizes[y], sizes[y + 1] = planes:size(2), planes:size(3)
      local turned = planes:view(before, behind, sizes[y], sizes[y + 1]):transpose(2, 3):transpose(3, 4)
      return turned:contiguous():view(sizes)
   end

   -- The index of the input's element for each of `count` outputs.
   local function nearest(size, count)
      return torch.range(0, count - 1):mul(size):div(count):floor():add(1):cmin(size):long()
   end

   function ReSampling:updateOutput(input)
      local y = rows_of(self, input)
      local planes = planes_of(input, y)
      local height, width = planes:size(2), planes:size(3)
      local to_height = self.oheight or math.floor(height * self.rheight)
      local to_width = self.owidth or math.floor(width * self.rwidth)
      if to_height < 1 or to_width < 1 then
         check.fail(self, 'output would have %d x %d elements for maps of %d x %d', to_height, to_width, height, width)
      end
      if self.mode == 'simple' then
         self._rows, self._columns = nearest(height, to_height), nearest(width, to_width)
         planes = planes:index(2, self._rows):index(3, self._columns)
      else
         if self.mode == 'average' and (to_height > height or to_width > width) then
            check.fail(self, "mode 'average' is for smaller maps (got %d x %d for maps of %d x %d)", to_height,
               to_width, height, width)
         end
         self._sampler = (self.mode == 'average' and nn.SpatialAdaptiveAveragePooling(to_width, to_height)
            or nn.SpatialUpSamplingBilinear { owidth = to_width, oheight = to_height }):type(input:type())
         planes = self._sampler:updateOutput(planes)
      end
      self.output = tensor_of(planes, y, input)
      return self.output
   end

   function ReSampling:updateGradInput(input, gradOutput)
      local y = rows_of(self, input)
      check.same_size(self, 'gradOutput', gradOutput, self.output)
      local planes, g = planes_of(input, y), planes_of(gradOutput, y)
      if self.mode == 'simple' then
         local tall = g.new(planes:size(1), planes:size(2), g:size(3)):zero():indexAdd(2, self._rows, g)
         g = g.new(planes:size()):zero():indexAdd(3, self._columns, tall)
      else
         g = self._sampler:updateGradInput(planes, g)
      end
      self.gradInput = tensor_of(g, y, input)
      return self.gradInput
   end
end

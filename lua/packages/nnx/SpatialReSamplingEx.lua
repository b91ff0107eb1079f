-- nn.SpatialReSamplingEx: maps of another size: blocks of equal elements or every few elements ('simple'), the same or
-- the means of blocks ('average'), or corner to corner ('bilinear'). Columns are the dimension after the rows.

local torch = require 'torch'
local check, xlua = require 'torch.base.check', require 'xlua'

local MODES = { 'simple', 'average', 'bilinear' }

return function(ReSampling, parent, nn)

   function ReSampling:__init(...)
      parent.__init(self)
      local name = 'SpatialReSamplingEx'
      xlua.unpack_class(self, { ... }, 'nn.SpatialReSamplingEx', 'maps of another size',
         { arg = 'rwidth', type = 'number', help = 'width of the output by that of the input' },
         { arg = 'rheight', type = 'number', help = 'the same of heights' },
         { arg = 'owidth', type = 'number', help = 'width of the output' },
         { arg = 'oheight', type = 'number', help = 'its height' },
         { arg = 'mode', type = 'string', help = 'simple, average or bilinear', default = 'simple' },
         { arg = 'yDim', type = 'number', help = 'dimension of the rows', default = 2 },
         { arg = 'xDim', type = 'number', help = 'dimension of the columns', default = 3 })
      check.one_of(name, 'mode', self.mode, MODES)
      if self.yDim + 1 ~= self.xDim then
         check.fail(name, 'xDim must be the dimension after yDim (got %d and %d)', self.xDim, self.yDim)
      end
      if not (self.rwidth or self.owidth) or not (self.rheight or self.oheight) then
         check.fail(name, 'rwidth or owidth, and rheight or oheight, must be given (got neither)')
      end
      for _, field in ipairs { 'rwidth', 'rheight' } do
         if self[field] then check.number(name, field, self[field]) end
      end
      for _, field in ipairs { 'owidth', 'oheight' } do
         if self[field] then check.size(name, field, self[field]) end
      end
      -- Torch7's methods read them.
      self.inputSize, self.outputSize = torch.LongStorage(4), torch.LongStorage(4)
      self.mode_c = self.mode == 'simple' and 0 or self.mode == 'average' and 1 or 2
   end

   -- How many elements the dimensions before the rows have, and those after the columns.
   local function around(t, y)
      local before, after = 1, 1
      for d = 1, y - 1 do before = before * t:size(d) end
      for d = y + 2, t:dim() do after = after * t:size(d) end
      return before, after
   end

   -- A contiguous tensor, planes x rows x columns: its planes are the dimensions before the rows and after the columns.
   local function planes_of(t, y)
      local before, after = around(t, y)
      local height, width = t:size(y), t:size(y + 1)
      local planes = t:contiguous():view(before, height, width, after):transpose(3, 4):transpose(2, 3)
      return planes:contiguous():view(before * after, height, width)
   end

   -- Back to a tensor whose other sizes are those of `like`.
   local function tensor_of(planes, y, like)
      local sizes, before, after = like:size(), around(like, y)
      sizes[y], sizes[y + 1] = planes:size(2), planes:size(3)
      local turned = planes:view(before, after, sizes[y], sizes[y + 1]):transpose(2, 3):transpose(3, 4)
      return turned:contiguous():view(sizes)
   end

   -- The index of the input's element for each of `count` outputs: blocks of equal size, of which the last may be
   -- smaller, or the first element of each block.
   local function indices(size, count)
      local from = torch.range(0, count - 1)
      if count >= size then
         from:div(math.ceil(count / size)):floor()
      else
         from:mul(math.floor(size / count))
      end
      return from:add(1):long()
   end

   -- Sets the size of the output for maps.
   local function set_size(self, height, width)
      local function round(value) return math.floor(value + 0.5) end
      self.iheight, self.iwidth = height, width
      self.oheightCurrent = self.oheight or round(self.rheight * height)
      self.owidthCurrent = self.owidth or round(self.rwidth * width)
      if self.oheightCurrent < 1 or self.owidthCurrent < 1 then
         check.fail(self, 'output would have %d x %d elements for maps of %d x %d', self.oheightCurrent,
            self.owidthCurrent, height, width)
      end
      if (self.oheightCurrent >= height) ~= (self.owidthCurrent >= width) then
         check.fail(self, 'output must be larger in both directions, or smaller (got %d x %d for maps of %d x %d)',
            self.oheightCurrent, self.owidthCurrent, height, width)
      end
   end

   -- The module that enlarges by interpolation, or gives means of blocks, which begin at the corner.
   local function sampler_of(self)
      if self.mode == 'bilinear' then
         return nn.SpatialUpSamplingBilinear { owidth = self.owidthCurrent, oheight = self.oheightCurrent }
      elseif self.mode == 'average' and self.oheightCurrent < self.iheight then
         local dW = math.floor(self.iwidth / self.owidthCurrent)
         local dH = math.floor(self.iheight / self.oheightCurrent)
         return nn.SpatialAveragePooling(dW, dH, dW, dH)
      end
   end

   -- The part of the planes that the blocks of means cover.
   local function covered(self, planes)
      if self.mode ~= 'average' then return planes end
      local function length(size, count) return math.floor(size / count) * count end
      return planes:narrow(2, 1, length(self.iheight, self.oheightCurrent))
         :narrow(3, 1, length(self.iwidth, self.owidthCurrent))
   end

   function ReSampling:updateOutput(input)
      check.real(self, 'input', input)
      local y = self.yDim
      check.dimensions(self, 'input', input, self.xDim, 8)
      set_size(self, input:size(y), input:size(self.xDim))
      local planes, sampler = planes_of(input, y), sampler_of(self)
      self._sampler = sampler and sampler:type(input:type())
      if sampler then
         planes = sampler:updateOutput(covered(self, planes):contiguous())
      else
         planes = planes:index(2, indices(self.iheight, self.oheightCurrent))
            :index(3, indices(self.iwidth, self.owidthCurrent))
      end
      self.output = tensor_of(planes, y, input)
      return self.output
   end

   function ReSampling:updateGradInput(input, gradOutput)
      local y = self.yDim
      check.real(self, 'input', input)
      check.dimensions(self, 'input', input, self.xDim, 8)
      check.same_size(self, 'gradOutput', gradOutput, self.output)
      local planes, g = planes_of(input, y), planes_of(gradOutput, y)
      local to = planes:clone():zero()
      if self._sampler then
         covered(self, to):copy(self._sampler:updateGradInput(covered(self, planes):contiguous(), g))
      else
         local rows, columns = indices(self.iheight, self.oheightCurrent), indices(self.iwidth, self.owidthCurrent)
         local tall = g.new(g:size(1), self.iheight, g:size(3)):zero():indexAdd(2, rows, g)
         to:indexAdd(3, columns, tall)
      end
      self.gradInput = tensor_of(to, y, input)
      return self.gradInput
   end
end

-- Layers that are made of those of nn.

local torch = require 'torch'
local check = require 'torch.base.check'

return function(inn, nn)

   -- Pooling that rounds sizes up.
   for _, name in ipairs { 'SpatialMaxPooling', 'SpatialAveragePooling' } do
      local Pool, parent = torch.class('inn.' .. name, 'nn.' .. name, inn)
      function Pool:__init(...)
         parent.__init(self, ...)
         self:ceil()
      end

      -- Layers in old files have no ceil_mode.
      function Pool:updateOutput(input)
         self.ceil_mode = true
         return parent.updateOutput(self, input)
      end
   end

   torch.class('inn.SpatialCrossResponseNormalization', 'nn.SpatialCrossMapLRN', inn)

   local Same, sequential = torch.class('inn.SpatialSameResponseNormalization', 'nn.Sequential', inn)

   -- x / (1 + alpha * mean of squares in a window of size x size)^beta.
   function Same:__init(size, alpha, beta)
      sequential.__init(self)
      self.size = check.size('SpatialSameResponseNormalization', 'size', size or 3)
      self.alpha = check.number('SpatialSameResponseNormalization', 'alpha', alpha or 5e-5)
      self.beta = check.number('SpatialSameResponseNormalization', 'beta', beta or 0.75)
      if self.size % 2 == 0 then
         check.argument_error('SpatialSameResponseNormalization', 'size', 'an odd number', size)
      end
      local pad = math.floor(self.size / 2)
      local scale = nn.Sequential():add(nn.Square())
         :add(nn.SpatialAveragePooling(self.size, self.size, 1, 1, pad, pad))
         :add(nn.MulConstant(self.alpha, true)):add(nn.AddConstant(1, true)):add(nn.Power(self.beta))
      self:add(nn.ConcatTable():add(nn.Identity()):add(scale)):add(nn.CDivTable())
   end

   local Pyramid, concat = torch.class('inn.SpatialPyramidPooling', 'nn.Concat', inn)

   -- The largest elements in each cell of several grids, { width, height } each, as one row for each image. The grids
   -- may come in a table.
   function Pyramid:__init(...)
      concat.__init(self, 1)
      local levels = { ... }
      if type(levels[1]) == 'table' and type(levels[1][1]) == 'table' then levels = levels[1] end
      if #levels == 0 then check.fail('SpatialPyramidPooling', 'levels must be at least one { width, height }') end
      self.pyr = levels
      for i, level in ipairs(levels) do
         check.kind('SpatialPyramidPooling', 'level ' .. i, level, 'table')
         self:add(nn.Sequential():add(nn.SpatialAdaptiveMaxPooling(level[1], level[2]))
            :add(nn.View(-1):setNumInputDims(3)):add(nn.Contiguous()))
      end
   end

   -- Of a single image, a vector.
   function Pyramid:updateOutput(input)
      check.dimensions(self, 'input', input, 3, 4)
      self.dimension = input:dim() - 2
      return concat.updateOutput(self, input)
   end
end

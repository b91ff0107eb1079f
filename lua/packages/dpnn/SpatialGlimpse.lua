-- nn.SpatialGlimpse: patches of a picture around a point, each larger than the previous one and scaled to the same
-- size. The input is { pictures, points }: batch x planes x height x width, and batch x 2 with y and x from -1 to 1; or
-- one picture and one point.

local torch = require 'torch'
local check = require 'torch.base.check'

return function(Glimpse, parent, nn)

   -- `size` is a side in pixels, or { height, width }.
   function Glimpse:__init(size, depth, scale)
      parent.__init(self)
      if type(size) ~= 'table' then size = { size, size } end
      self.height = check.size('SpatialGlimpse', 'size', size[1])
      self.width = check.size('SpatialGlimpse', 'size', size[2])
      self.depth = check.size('SpatialGlimpse', 'depth', depth or 3)
      self.scale = check.number('SpatialGlimpse', 'scale', scale or 2)
      self.gradInput = { torch.Tensor(), torch.Tensor() }
      if self.scale == 2 then
         self.module = nn.SpatialAveragePooling(2, 2, 2, 2)
      else
         require 'nnx'
         self.module = nn.SpatialReSampling { oheight = self.height, owidth = self.width }
      end
      self.modules = { self.module }
   end

   local function read(self, input)
      check.kind(self, 'input', input, 'table')
      check.dimensions(self, 'pictures', input[1], 3, 4)
      check.dimensions(self, 'points', input[2], input[1]:dim() - 2, input[1]:dim() - 2)
      local points, pictures = self:toBatch(input[2], 1), self:toBatch(input[1], 3)
      if points:size(1) ~= pictures:size(1) or points:size(2) ~= 2 then
         check.argument_error(self, 'points', 'a tensor of batch x 2', input[2])
      end
      return pictures, points
   end

   -- The rows, or columns, of a picture that a patch covers: first index, count, and offset in the patch. Half of a
   -- patch may lie outside, in zeros.
   local function cover(center, side, extent)
      local pad = math.floor((side - 1) / 2)
      local range = extent + 2 * pad - side
      local first = math.floor(math.min(range, math.max(0, (center + 1) / 2 * range))) - pad + 1
      local from, to = math.max(first, 1), math.min(first + side - 1, extent)
      return from, math.max(to - from + 1, 0), from - first + 1
   end

   -- Calls f(picture, patch) with views of the parts that a patch around a point of rows x columns has in common with
   -- a picture.
   local function common(pictures, points, b, patch, f)
      local y, rows, top = cover(points[b][1], patch:size(2), pictures:size(3))
      local x, columns, left = cover(points[b][2], patch:size(3), pictures:size(4))
      if rows > 0 and columns > 0 then
         f(pictures[b]:narrow(2, y, rows):narrow(3, x, columns), patch:narrow(2, top, rows):narrow(3, left, columns))
      end
   end

   -- The module, set to bring a patch to the size of the glimpse.
   local function shrinking(self, height, width)
      local module = self.module
      if torch.isTypeOf(module, 'nn.SpatialAveragePooling') then
         module.kW, module.kH = width / self.width, height / self.height
         module.dW, module.dH = module.kW, module.kH
      end
      return module
   end

   -- Calls f(depth, height, width) for the patches of all depths.
   local function each_depth(self, f)
      local height, width = self.height, self.width
      for d = 1, self.depth do
         if d > 1 then height, width = math.floor(height * self.scale), math.floor(width * self.scale) end
         f(d, height, width)
      end
   end

   local function views(self, t, pictures)
      return t:view(pictures:size(1), self.depth, pictures:size(2), self.height, self.width)
   end

   function Glimpse:updateOutput(input)
      local pictures, points = read(self, input)
      local batch, planes = pictures:size(1), pictures:size(2)
      local output = pictures.new(batch, self.depth * planes, self.height, self.width)
      local parts = views(self, output, pictures)
      each_depth(self, function(d, height, width)
         local patch = pictures.new(planes, height, width)
         for b = 1, batch do
            patch:zero()
            common(pictures, points, b, patch, function(from, to) to:copy(from) end)
            parts[b][d]:copy(d == 1 and patch or shrinking(self, height, width):updateOutput(patch))
         end
      end)
      self.output = self:fromBatch(output, 1)
      return self.output
   end

   -- Points have zero gradients: they are trained by rewards.
   function Glimpse:updateGradInput(input, gradOutput)
      local pictures, points = read(self, input)
      check.same_size(self, 'gradOutput', gradOutput, self.output)
      local parts = views(self, self:toBatch(gradOutput, 3):contiguous(), pictures)
      local gradient = pictures.new(pictures:size()):zero()
      each_depth(self, function(d, height, width)
         local patch = pictures.new(pictures:size(2), height, width):zero()
         for b = 1, pictures:size(1) do
            local back = parts[b][d]
            if d > 1 then
               local module = shrinking(self, height, width)
               module:updateOutput(patch)
               back = module:updateGradInput(patch, back)
            end
            common(gradient, points, b, back, function(to, from) to:add(from) end)
         end
      end)
      self.gradInput = { self:fromBatch(gradient, 1), input[2].new():resizeAs(input[2]):zero() }
      return self.gradInput
   end
end

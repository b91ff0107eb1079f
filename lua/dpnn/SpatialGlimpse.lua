-- nn.SpatialGlimpse: patches of a picture around a point, each larger than the one before and scaled to the same size.
-- The input is { pictures, points }: batch x planes x height x width, and batch x 2 with y and x from -1 to 1.

local torch = require 'torch'
local check = require 'torch.base.check'

return function(Glimpse, parent, nn)

   function Glimpse:__init(size, depth, scale)
      parent.__init(self)
      self.size = check.size('SpatialGlimpse', 'size', size)
      self.depth = check.size('SpatialGlimpse', 'depth', depth or 3)
      self.scale = check.number('SpatialGlimpse', 'scale', scale or 2)
      self.gradInput = { torch.Tensor(), torch.Tensor() }
   end

   local function check_input(self, input)
      check.kind(self, 'input', input, 'table')
      check.dimensions(self, 'pictures', input[1], 4, 4)
      check.dimensions(self, 'points', input[2], 2, 2)
      if input[2]:size(1) ~= input[1]:size(1) or input[2]:size(2) ~= 2 then
         check.refuse(self, 'points', 'a tensor of batch x 2', input[2])
      end
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

   -- Calls f(number of the picture, covered region) for each picture that the patch reaches.
   local function each_patch(input, side, f)
      local pictures, points = input[1], input[2]
      local height, width = pictures:size(3), pictures:size(4)
      for b = 1, pictures:size(1) do
         local y, rows, top = cover(points[b][1], side, height)
         local x, columns, left = cover(points[b][2], side, width)
         if rows > 0 and columns > 0 then f(b, { y, rows, top, x, columns, left }) end
      end
   end

   -- A module that brings a patch to the size of the glimpse.
   local function shrink(self, side)
      if side == self.size then return nn.Identity() end
      if self.scale ~= 2 then return nn.SpatialUpSamplingBilinear { oheight = self.size, owidth = self.size } end
      local window = side / self.size
      return nn.SpatialAveragePooling(window, window, window, window)
   end

   -- The patches of a depth of all pictures, before they are brought to the size of the glimpse; zeros outside.
   local function patches_of(input, side)
      local pictures = input[1]
      local patches = pictures.new(pictures:size(1), pictures:size(2), side, side):zero()
      each_patch(input, side, function(b, c)
         patches[b]:narrow(2, c[3], c[2]):narrow(3, c[6], c[5])
            :copy(pictures[b]:narrow(2, c[1], c[2]):narrow(3, c[4], c[5]))
      end)
      return patches
   end

   function Glimpse:updateOutput(input)
      check_input(self, input)
      local pictures = input[1]
      local planes = pictures:size(2)
      self.output:resize(pictures:size(1), self.depth * planes, self.size, self.size)
      for d = 1, self.depth do
         local side = math.floor(self.size * self.scale ^ (d - 1))
         local patches = patches_of(input, side)
         self.output:narrow(2, (d - 1) * planes + 1, planes)
            :copy(shrink(self, side):type(patches:type()):forward(patches))
      end
      return self.output
   end

   -- Points have zero gradients: they are trained by rewards.
   function Glimpse:updateGradInput(input, gradOutput)
      check_input(self, input)
      check.same_size(self, 'gradOutput', gradOutput, self.output)
      local pictures = input[1]
      local planes = pictures:size(2)
      local gradient = self.gradInput[1]:resizeAs(pictures):zero()
      self.gradInput[2]:resizeAs(input[2]):zero()
      for d = 1, self.depth do
         local side = math.floor(self.size * self.scale ^ (d - 1))
         local module = shrink(self, side):type(pictures:type())
         local patches = pictures.new(pictures:size(1), planes, side, side):zero()
         module:forward(patches)
         local back = module:updateGradInput(patches, gradOutput:narrow(2, (d - 1) * planes + 1, planes):contiguous())
         each_patch(input, side, function(b, c)
            gradient[b]:narrow(2, c[1], c[2]):narrow(3, c[4], c[5])
               :add(back[b]:narrow(2, c[3], c[2]):narrow(3, c[6], c[5]))
         end)
      end
      return self.gradInput
   end
end

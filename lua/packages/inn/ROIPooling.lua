-- inn.ROIPooling(width, height [, scale]): { images, regions } -> the largest elements in each cell of a grid of
-- height x width over each region. Regions are rows of the number of an image and x1, y1, x2, y2, inclusive and counted
-- from 1, which are multiplied by the scale.

local torch = require 'torch'
local check = require 'torch.base.check'

return function(inn)
   local Pool, parent = torch.class('inn.ROIPooling', 'nn.Module', inn)

   function Pool:__init(W, H, spatial_scale)
      parent.__init(self)
      self.W, self.H = check.size('ROIPooling', 'width', W), check.size('ROIPooling', 'height', H)
      self.spatial_scale = check.number('ROIPooling', 'scale', spatial_scale or 1)
      self.gradInput = { torch.Tensor(), torch.Tensor() }
   end

   function Pool:setSpatialScale(scale)
      self.spatial_scale = check.number('ROIPooling', 'scale', scale)
      return self
   end

   -- First and last index of cell i of `count` between two coordinates, within 1 to `size`.
   local function cell(self, from, to, i, count, size)
      from = math.floor((from - 1) * self.spatial_scale + 0.5)
      to = math.floor((to - 1) * self.spatial_scale + 0.5)
      local step = math.max(to - from + 1, 1) / count
      return math.max(math.floor((i - 1) * step) + from, 0) + 1, math.min(math.ceil(i * step) + from, size)
   end

   local function each_cell(self, images, regions, f)
      for r = 1, regions:size(1) do
         local region = regions[r]
         local image = images[check.index(self, 'the image of region ' .. r, region[1], images:size(1))]
         for k = 2, 5 do
            local value = region[k]
            if value - value ~= 0 then check.argument_error(self, 'regions', 'finite numbers', value) end
         end
         for i = 1, self.H do
            local y1, y2 = cell(self, region[3], region[5], i, self.H, images:size(3))
            for j = 1, self.W do
               local x1, x2 = cell(self, region[2], region[4], j, self.W, images:size(4))
               if y1 <= y2 and x1 <= x2 then
                  f(r, i, j, region[1], image:narrow(2, y1, y2 - y1 + 1):narrow(3, x1, x2 - x1 + 1), y1, x1)
               end
            end
         end
      end
   end

   local function read(self, input)
      check.kind(self, 'input', input, 'table')
      check.dimensions(self, 'images', input[1], 4, 4)
      check.dimensions(self, 'regions', input[2], 2, 2)
      if input[2]:size(2) ~= 5 then check.argument_error(self, 'regions', 'a tensor of regions x 5', input[2]) end
      return input[1], input[2]
   end

   -- Cells without pixels are 0.
   function Pool:updateOutput(input)
      local images, regions = read(self, input)
      local planes = images:size(2)
      self.output:resize(regions:size(1), planes, self.H, self.W):zero()
      self.indices = torch.LongTensor():resize(self.output:size()):zero()
      each_cell(self, images, regions, function(r, i, j, _, part, y1, x1)
         local width = part:size(3)
         local values, at = part:contiguous():view(planes, -1):max(2)
         self.output[r]:select(3, j):select(2, i):copy(values)
         for p = 1, planes do
            local k = at[p][1] - 1
            self.indices[r][p][i][j] = (y1 - 1 + math.floor(k / width)) * images:size(4) + x1 + k % width
         end
      end)
      return self.output
   end

   function Pool:updateGradInput(input, gradOutput)
      check.same_size(self, 'gradOutput', gradOutput, self.output)
      local images, regions = read(self, input)
      local at_images = self.gradInput[1]:resizeAs(images):zero()
      self.gradInput[2]:resizeAs(regions):zero()
      local area = images:size(3) * images:size(4)
      for r = 1, regions:size(1) do
         local flat = at_images[regions[r][1]]:view(images:size(2), area)
         for p = 1, images:size(2) do
            local rows, g = self.indices[r][p]:view(-1), gradOutput[r][p]:contiguous():view(-1)
            local used = rows:gt(0)
            if used:sum() > 0 then flat[p]:indexAdd(1, rows:maskedSelect(used), g:maskedSelect(used)) end
         end
      end
      return self.gradInput
   end

   function Pool:clearState()
      self.indices = nil
      return parent.clearState(self)
   end
end

-- nn.BilinearSamplerBHWD: { images, grids } -> images sampled at the points of the grids, between four pixels. Images
-- are batch x height x width x planes, grids batch x height x width x 2 with y and x from -1 to 1; without a batch both
-- have a dimension less. Outside of the image there are zeros.

local torch = require 'torch'
local check, tensor_calls = require 'torch.base.check', require 'nn.tools.tensor_calls'

return function(nn)
   local Sampler, parent = torch.class('nn.BilinearSamplerBHWD', 'nn.Module', nn)

   function Sampler:__init()
      parent.__init(self)
      self.gradInput = { torch.Tensor(), torch.Tensor() }
   end

   local function read(self, input)
      check.kind(self, 'input', input, 'table')
      local images, grids = input[1], input[2]
      check.dimensions(self, 'images', images, 3, 4)
      check.same_type(self, 'grids', grids, images)
      check.dimensions(self, 'grids', grids, images:dim(), images:dim())
      if grids:size(grids:dim()) ~= 2 or images:dim() == 4 and images:size(1) ~= grids:size(1) then
         check.fail(self, 'grids must be batch x height x width x 2 (got %s for images %s)', check.describe(grids),
            check.describe(images))
      end
      if images:dim() == 3 then
         images = images:contiguous():view(1, images:size(1), images:size(2), images:size(3))
         grids = grids:contiguous():view(1, grids:size(1), grids:size(2), 2)
      end
      return images:contiguous(), grids:contiguous()
   end

   -- Calls f(rows of pixels, their weights, y and x inside the image, signs) for each of the four pixels around points.
   local function each_corner(images, grids, f)
      local count, height, width = images:size(1), images:size(2), images:size(3)
      local points = grids:view(-1, 2)
      local n = points:size(1)
      -- Points far outside have no pixels; nan is outside too.
      local function pixels(column, size)
         local p = torch.add(points:select(2, column), 1):mul((size - 1) / 2)
         local inside = torch.cmul(p:ge(-1), p:lt(size))
         p:maskedFill(inside:eq(0), -2)
         local low = torch.floor(p)
         return low, torch.add(p, -1, low)
      end
      local y0, v = pixels(1, height)
      local x0, u = pixels(2, width)
      local first = torch.range(0, count - 1):typeAs(images):view(-1, 1):expand(count, n / count):contiguous():view(-1)
      first:mul(height * width)
      for dy = 0, 1 do
         for dx = 0, 1 do
            local y, x = torch.add(y0, dy), torch.add(x0, dx)
            local valid = torch.cmul(torch.cmul(y:ge(0), y:lt(height)), torch.cmul(x:ge(0), x:lt(width))):typeAs(images)
            local rows = torch.mul(y:cmax(0):cmin(height - 1), width):add(x:cmax(0):cmin(width - 1)):add(first):add(1)
            local across = dx == 1 and u or torch.mul(u, -1):add(1)
            local down = dy == 1 and v or torch.mul(v, -1):add(1)
            f(rows:long(), torch.cmul(down, across):cmul(valid), torch.cmul(down, valid), torch.cmul(across, valid),
               dy * 2 - 1, dx * 2 - 1)
         end
      end
   end

   local function wide(column, x) return column:view(-1, 1):expandAs(x) end

   -- Writes the samples of images at points, both with a batch, into `output`.
   local function sample(images, grids, output)
      local planes = images:size(4)
      local flat = images:view(-1, planes)
      local rows_of = images.new(grids:nElement() / 2, planes):zero()
      each_corner(images, grids, function(rows, weights)
         rows_of:addcmul(flat:index(1, rows), wide(weights, rows_of))
      end)
      output:resize(grids:size(1), grids:size(2), grids:size(3), planes):copy(rows_of)
   end

   -- Adds the gradients of images and points to tensors that are as large.
   local function add_gradients(images, grids, gradOutput, to_images, to_grids)
      local planes = images:size(4)
      local flat, g = images:view(-1, planes), gradOutput:contiguous():view(-1, planes)
      local at_images = flat.new(flat:size()):zero()
      local at_grids = grids.new(g:size(1), 2):zero()
      each_corner(images, grids, function(rows, weights, down, across, sy, sx)
         at_images:indexAdd(1, rows, torch.cmul(g, wide(weights, g)))
         local products = torch.cmul(flat:index(1, rows), g):sum(2):view(-1)
         at_grids:select(2, 1):addcmul(sy * (images:size(2) - 1) / 2, products, across)
         at_grids:select(2, 2):addcmul(sx * (images:size(3) - 1) / 2, products, down)
      end)
      to_images:add(at_images:viewAs(to_images))
      to_grids:add(at_grids:viewAs(to_grids))
   end

   function Sampler:updateOutput(input)
      local images, grids = read(self, input)
      self.output = images.new()
      sample(images, grids, self.output)
      if input[1]:dim() == 3 then self.output = self.output[1] end
      return self.output
   end

   function Sampler:updateGradInput(input, gradOutput)
      check.same_size(self, 'gradOutput', gradOutput, self.output)
      local images, grids = read(self, input)
      self.gradInput = { images.new():resizeAs(input[1]):zero(), images.new():resizeAs(input[2]):zero() }
      add_gradients(images, grids, gradOutput, self.gradInput[1], self.gradInput[2])
      return self.gradInput
   end

   -- The functions of the original, x.nn.NAME(module, images, grids, ...), of contiguous tensors with a batch.
   tensor_calls {
      BilinearSamplerBHWD_updateOutput = function(_, images, grids, output)
         sample(images, grids:contiguous(), output)
      end,
      BilinearSamplerBHWD_updateGradInput = function(_, images, grids, gradImages, gradGrids, gradOutput)
         add_gradients(images, grids:contiguous(), gradOutput, gradImages, gradGrids)
      end,
   }
end

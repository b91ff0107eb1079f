-- nn.PyramidPacker: an image at several scales, side by side in one image, so that a network of convolutions runs once
-- for all of them. Images begin at multiples of the network's steps; nn.PyramidUnPacker takes the outputs apart.

local torch = require 'torch'
local check = require 'torch.base.check'
local field_of_view, mixins = require 'nnx.field_of_view', require 'nn.module.mixins'

return function(Packer, parent)

   function Packer:__init(network, scales)
      parent.__init(self)
      local field = field_of_view('PyramidPacker', network)
      self.step_width, self.step_height = field.stepWidth, field.stepHeight
      self.scales = check.kind('PyramidPacker', 'scales', scales, 'table')
      if #scales == 0 then check.argument_error('PyramidPacker', 'scales', 'a list of numbers', scales) end
      for i, scale in ipairs(scales) do
         if not (check.number('PyramidPacker', 'scale ' .. i, scale) > 0) then
            check.argument_error('PyramidPacker', 'scale ' .. i, 'a number above 0', scale)
         end
      end
      self.coordinates = torch.LongTensor()
   end

   local function round_up(size, step) return math.ceil(size / step) * step end

   -- A row for each scale: column and row of its first pixel, width and height; then width and height of all. Images
   -- are stacked in columns, none of which is higher than the highest image.
   local function pack(self, width, height)
      local rows, highest = {}, 0
      for i, scale in ipairs(self.scales) do
         local w, h = math.floor(width * scale), math.floor(height * scale)
         if w < 1 or h < 1 then check.fail(self, 'input of %d x %d has no pixels at scale %g', height, width, scale) end
         rows[i] = { 1, 1, w, h }
         highest = math.max(highest, h)
      end
      local left, top, widest = 0, 0, 0
      for _, row in ipairs(rows) do
         if top + row[4] > highest then left, top, widest = left + round_up(widest, self.step_width), 0, 0 end
         row[1], row[2] = left + 1, top + 1
         top, widest = top + round_up(row[4], self.step_height), math.max(widest, row[3])
      end
      return torch.LongTensor(rows), left + widest, highest
   end

   -- Scaling is linear along each dimension: images of the unit vectors are the columns of its matrix.
   local function scaling(from, to, like)
      return require('image').scale(torch.eye(from), from, to):typeAs(like)
   end

   -- f(x, row, down, across) for each scale: the part of the packed image, and the matrices of heights and widths.
   local function each_scale(self, packed, input, f)
      for i = 1, self.coordinates:size(1) do
         local x, y, w, h = unpack(self.coordinates[i]:totable())
         local part = packed:narrow(2, y, h):narrow(3, x, w)
         f(part, scaling(input:size(2), h, input), scaling(input:size(3), w, input))
      end
   end

   -- The packed image and the coordinates: rows of column, row, width and height.
   function Packer:updateOutput(input)
      check.real(self, 'input', input)
      check.dimensions(self, 'input', input, 3, 3)
      local width, height
      self.coordinates, width, height = pack(self, input:size(3), input:size(2))
      self.output:resize(input:size(1), height, width):zero()
      each_scale(self, self.output, input, function(part, down, across)
         for plane = 1, input:size(1) do part[plane]:copy(down * input[plane] * across:t()) end
      end)
      return self.output, self.coordinates
   end

   function Packer:updateGradInput(input, gradOutput)
      check.same_type(self, 'gradOutput', check.same_size(self, 'gradOutput', gradOutput, self.output), input)
      self.gradInput:resizeAs(input):zero()
      each_scale(self, gradOutput, input, function(part, down, across)
         for plane = 1, input:size(1) do self.gradInput[plane]:add(down:t() * part[plane] * across) end
      end)
      return self.gradInput
   end

   mixins.keep_type(Packer, parent, 'coordinates')

   function Packer:__tostring__() return string.format('nn.PyramidPacker(%s)', table.concat(self.scales, ' ')) end
end

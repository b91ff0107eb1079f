-- nn.PyramidUnPacker: the outputs of a network for the scales of an image that nn.PyramidPacker packed into one, as a
-- table of maps.

local torch = require 'torch'
local check = require 'torch.base.check'
local field_of_view = require 'nnx.field_of_view'

return function(UnPacker, parent)

   function UnPacker:__init(network)
      parent.__init(self)
      local field = field_of_view('PyramidUnPacker', network)
      self.width, self.height = field.width, field.height
      self.step_width, self.step_height = field.stepWidth, field.stepHeight
      self.output = {}
   end

   -- The part of the maps that an image gave: windows that lie in it.
   local function part_of(self, maps, row)
      local x, y, w, h = unpack(row:totable())
      local function span(at, size, field, step) return (at - 1) / step + 1, math.floor((size - field) / step) + 1 end
      local left, columns = span(x, w, self.width, self.step_width)
      local top, rows = span(y, h, self.height, self.step_height)
      if columns < 1 or rows < 1 then
         check.fail(self, 'each image must be at least %d x %d, what an output sees (got %d x %d)', self.height,
            self.width, h, w)
      end
      if left % 1 ~= 0 or top % 1 ~= 0 or left + columns - 1 > maps:size(3)
         or top + rows - 1 > maps:size(2) then
         check.fail(self, 'coordinates must be those of the packer (got %d, %d, %d, %d for maps of %d x %d)', x, y,
            w, h, maps:size(2), maps:size(3))
      end
      return maps:narrow(2, top, rows):narrow(3, left, columns)
   end

   -- Coordinates are the second result of the packer; the input may also be a table of both.
   function UnPacker:forward(input, coordinates)
      if type(input) == 'table' and coordinates == nil then input, coordinates = input[1], input[2] end
      return self:updateOutput { input, coordinates }
   end

   function UnPacker:updateOutput(input)
      check.kind(self, 'input', input, 'table')
      local maps, coordinates = input[1], input[2]
      check.real(self, 'input[1]', maps)
      check.dimensions(self, 'input[1]', maps, 3, 3)
      check.tensor(self, 'coordinates', coordinates)
      if coordinates:dim() ~= 2 or coordinates:size(2) ~= 4 then
         check.argument_error(self, 'coordinates', 'a tensor of scales x 4', coordinates)
      end
      self.output = {}
      for i = 1, coordinates:size(1) do self.output[i] = part_of(self, maps, coordinates[i]) end
      self._coordinates = coordinates
      return self.output
   end

   -- The gradient at the maps; `input` may be the table { maps, coordinates } or the maps alone.
   function UnPacker:updateGradInput(input, gradOutput)
      local maps = type(input) == 'table' and input[1] or input
      check.real(self, 'input', maps)
      if not self._coordinates then check.fail(self, 'backward called before forward') end
      check.kind(self, 'gradOutput', gradOutput, 'table')
      self.gradInput = torch.zeros(maps:size()):typeAs(maps)
      for i = 1, self._coordinates:size(1) do
         check.same_size(self, string.format('gradOutput[%d]', i), gradOutput[i], self.output[i])
         part_of(self, self.gradInput, self._coordinates[i]):add(gradOutput[i])
      end
      return self.gradInput
   end

   function UnPacker:clearState()
      self._coordinates = nil
      parent.clearState(self)
      self.output = {}
      return self
   end
end

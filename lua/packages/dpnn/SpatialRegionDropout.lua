-- nn.SpatialRegionDropout: while training, a share p of the rows or columns at one side of the maps is zero, and the
-- rest is scaled up.

local torch = require 'torch'
local check, mixins = require 'torch.base.check', require 'nn.module.mixins'

return function(Dropout, parent)

   function Dropout:__init(p)
      parent.__init(self)
      self.train, self.noise = true, torch.Tensor()
      self:setp(p or 0.2)
   end

   function Dropout:setp(p)
      if not (p >= 0 and p < 1) then check.argument_error('SpatialRegionDropout', 'p', 'from 0 to less than 1', p) end
      self.p = p
   end

   -- Regions: 1 top, 2 bottom, 3 left, 4 right.
   local function draw(self, input)
      self.regionType = torch.random(1, 4)
      local along = self.regionType <= 2 and input:dim() - 1 or input:dim()
      local extent = input:size(along)
      local count = math.floor(extent * self.p)
      if torch.type(self.noise) ~= input:type() then self.noise = input.new() end
      self.noise:resizeAs(input):fill(1)
      if count > 0 then
         self.noise:narrow(along, self.regionType % 2 == 1 and 1 or extent - count + 1, count):zero()
      end
      self.noise:div(1 - self.p)
   end

   mixins.on_copies(Dropout, function(self, output, input)
      check.dimensions(self, 'input', input, 3, 4)
      if not self.train then return end
      draw(self, input)
      output:cmul(self.noise)
   end, function(self, gradInput)
      if not self.train then check.fail(self, 'backward is defined in training alone') end
      gradInput:cmul(self.noise)
   end)
end

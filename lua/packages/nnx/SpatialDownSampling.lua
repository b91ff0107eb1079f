-- nn.SpatialDownSampling(rW, rH): the means of blocks of maps; incomplete blocks are left out.

local check, xlua = require 'torch.base.check', require 'xlua'

return function(DownSampling, parent, nn)

   function DownSampling:__init(...)
      parent.__init(self)
      xlua.unpack_class(self, { ... }, 'nn.SpatialDownSampling', 'means of blocks of maps',
         { arg = 'rW', type = 'number', help = 'columns of a block', req = true },
         { arg = 'rH', type = 'number', help = 'rows of a block', req = true })
      check.size('SpatialDownSampling', 'rW', self.rW)
      check.size('SpatialDownSampling', 'rH', self.rH)
   end

   -- Files of the original do not have the pooling.
   local function pooling(self)
      self._pool = self._pool or nn.SpatialAveragePooling(self.rW, self.rH, self.rW, self.rH)
      return self._pool:type(self.output:type())
   end

   function DownSampling:updateOutput(input)
      check.real(self, 'input', input)
      check.dimensions(self, 'input', input, 3, 4)
      if math.floor(input:size(input:dim() - 1) / self.rH) < 1 or math.floor(input:size(input:dim()) / self.rW) < 1 then
         check.argument_error(self, 'input', string.format('maps of at least %d x %d', self.rH, self.rW), input)
      end
      self.output = pooling(self):updateOutput(input)
      return self.output
   end

   function DownSampling:updateGradInput(input, gradOutput)
      check.same_size(self, 'gradOutput', gradOutput, self.output)
      self.gradInput = pooling(self):updateGradInput(input, gradOutput)
      return self.gradInput
   end
end

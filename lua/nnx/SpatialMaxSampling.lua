-- nn.SpatialMaxSampling{ owidth, oheight } or { rwidth, rheight }: the largest elements of parts of maps of that size,
-- or of that ratio to the input.

local check = require 'torch.base.check'

return function(MaxSampling, parent, nn)

   function MaxSampling:__init(options)
      parent.__init(self)
      check.kind('SpatialMaxSampling', 'argument 1', options, 'table')
      self.owidth, self.oheight = options.owidth, options.oheight
      self.rwidth, self.rheight = options.rwidth, options.rheight
      if not (self.owidth and self.oheight) and not (self.rwidth and self.rheight) then
         check.fail('SpatialMaxSampling', 'owidth and oheight, or rwidth and rheight, must be given (got neither)')
      end
   end

   function MaxSampling:updateOutput(input)
      check.real(self, 'input', input)
      check.dimensions(self, 'input', input, 3, 4)
      local d = input:dim()
      local height = self.oheight or math.floor(input:size(d - 1) * self.rheight)
      local width = self.owidth or math.floor(input:size(d) * self.rwidth)
      local pool = self._pool
      if not pool or pool.H ~= height or pool.W ~= width or pool:type() ~= input:type() then
         self._pool = nn.SpatialAdaptiveMaxPooling(width, height):type(input:type())
      end
      self.output = self._pool:updateOutput(input)
      return self.output
   end

   function MaxSampling:updateGradInput(input, gradOutput)
      if not self._pool then check.fail(self, 'backward called before forward') end
      check.same_size(self, 'gradOutput', gradOutput, self.output)
      self.gradInput = self._pool:updateGradInput(input, gradOutput)
      return self.gradInput
   end
end

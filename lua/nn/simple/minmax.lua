-- nn.Max and nn.Min: the largest or smallest value along a dimension, which is left out.

local torch = require 'torch'
local expect, mixins = require 'nn.checks.expect', require 'nn.module.mixins'
local positive = require('nn.simple.dimension').positive

return function(Class, parent, _, name)

   local find = string.lower(name)

   function Class:__init()
      self._indices = torch.LongTensor()
   end

   function Class:_getPositiveDimension(input)
      return positive(self, expect.own(self, input), self.dimension, self.nInputDims)
   end

   function Class:_lazyInit()
      self._output = self._output or self.output.new()
      if torch.typename(self._indices) ~= 'torch.LongTensor' then self._indices = torch.LongTensor() end
   end

   function Class:updateOutput(input)
      self:_lazyInit()
      local dimension = self:_getPositiveDimension(input)
      torch[find](self._output, self._indices, input, dimension)
      if input:dim() > 1 then
         self.output:set(self._output:select(dimension, 1))
      else
         self.output:set(self._output)
      end
      return self.output
   end

   function Class:updateGradInput(input, gradOutput)
      self:_lazyInit()
      local dimension = self:_getPositiveDimension(input)
      expect.same_count(self, self.output, expect.own(self, gradOutput, 'gradOutput'))
      if self._indices:dim() ~= input:dim() then expect.fail(self, 'backward called before forward on this input') end
      self.gradInput:resizeAs(input):zero()
      self.gradInput:scatter(dimension, self._indices, gradOutput:contiguous():viewAs(self._indices))
      return self.gradInput
   end

   -- Indices stay LongTensors.
   mixins.keep_type(Class, parent, '_indices')
end

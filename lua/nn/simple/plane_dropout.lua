-- nn.SpatialDropout and nn.VolumetricDropout: set whole planes to 0 with a probability; scaled when
-- evaluating.

local torch = require 'torch'
local expect = require 'nn.checks.expect'

-- The dimensions of one sample.
local DIMENSIONS = { SpatialDropout = 3, VolumetricDropout = 4 }

return function(Class, parent, _, name)

   local dims = DIMENSIONS[name]

   function Class:__init(p, stochasticInference)
      parent.__init(self)
      self.p = p or 0.5
      if not (self.p <= 1 and self.p >= 0) then expect.argument_error(self, 'p', 'from 0 to 1', p) end
      self.train = true
      self.stochastic_inference = stochasticInference or false
      self.noise = torch.Tensor()
   end

   local function drops(self) return self.train or self.stochastic_inference end

   function Class:updateOutput(input)
      expect.own(self, input)
      self.output:resizeAs(input):copy(input)
      if not drops(self) then
         self.output:mul(1 - self.p)
         return self.output
      end
      if input:dim() ~= dims and input:dim() ~= dims + 1 then
         expect.fail(self, 'input must have %d or %d dimensions (got %s)', dims, dims + 1, expect.describe(input))
      end
      local sizes = input:size()
      for d = input:dim() - dims + 2, input:dim() do sizes[d] = 1 end
      self.noise:resize(sizes)
      self.noise:bernoulli(1 - self.p)
      self.output:cmul(self.noise:expandAs(input))
      return self.output
   end

   function Class:updateGradInput(input, gradOutput)
      if not drops(self) then expect.fail(self, 'backward needs training mode (got evaluation); call :training()') end
      expect.same_count(self, input, expect.own(self, gradOutput, 'gradOutput'))
      if self.noise:dim() ~= gradOutput:dim() then expect.fail(self, 'backward called before forward on this input') end
      self.gradInput:resizeAs(gradOutput):copy(gradOutput)
      self.gradInput:cmul(self.noise:expandAs(gradOutput))
      return self.gradInput
   end

   function Class:setp(p) self.p = p end

   function Class:__tostring__() return string.format('%s(%f)', torch.type(self), self.p) end
end
